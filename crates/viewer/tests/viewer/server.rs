//! Whom the server answers, on loopback alone.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use pliant_scene::Origin;
use pliant_viewer::{Input, Options, Server};
use serde_json::Value;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use crate::reader::Picture;

const TOKEN: &str = "abcdefghijklmnop";

fn server() -> Server {
    let sets = vec!["body.bar.mesh.across=2".to_owned()];
    let origin = Origin { scene: "bar".into(), sets };
    Server::start(Options { token: Some(TOKEN.into()), ..Options::new(origin) }).unwrap()
}

/// `127.0.0.1:PORT`
fn host(server: &Server) -> String {
    server.address().split('/').nth(2).unwrap().to_owned()
}

/// The answer to a GET: status, and all of it.
fn get(server: &Server, path: &str, host_header: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(host(server)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host_header}\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
}

type Socket = WebSocket<TcpStream>;

fn connect(server: &Server, token: &str, origin: Option<&str>) -> Result<Socket, u16> {
    let stream = TcpStream::connect(host(server)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let address = format!("ws://{}/{token}/socket", host(server));
    let mut request = address.into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

fn page(server: &Server) -> Socket {
    connect(server, TOKEN, Some(&format!("http://{}", host(server)))).unwrap()
}

/// Reads until a text of that type comes.
fn wait_for(socket: &mut Socket, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let limit = Instant::now() + Duration::from_secs(30);
    while Instant::now() < limit {
        if let Message::Text(text) = socket.read().unwrap() {
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["type"] == kind && fits(&value) {
                return value;
            }
        }
    }
    panic!("no {kind} came");
}

fn send(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

/// Whether the server closes the connection, whatever else it sends before.
fn is_closed(socket: &mut Socket) -> bool {
    let limit = Instant::now() + Duration::from_secs(30);
    while Instant::now() < limit {
        match socket.read() {
            Ok(Message::Close(_)) | Err(_) => return true,
            Ok(_) => {}
        }
    }
    false
}

#[test]
fn the_page_is_served_to_who_knows_the_token_and_comes_by_the_right_name() {
    let server = server();
    let host = host(&server);
    let root = format!("/{TOKEN}/");
    let (status, text) = get(&server, &root, &host);
    assert_eq!(status, 200);
    assert!(text.contains("<canvas") && text.contains("content-security-policy"));
    let local = host.replace("127.0.0.1", "localhost");
    assert_eq!(get(&server, &format!("{root}page.js"), &local).0, 200);
    assert_eq!(get(&server, &format!("{root}page.css"), &host).0, 200);
    assert_eq!(get(&server, &format!("/{TOKEN}"), &host).0, 308);
    assert_eq!(get(&server, &format!("{root}../Cargo.toml"), &host).0, 404);
    for path in ["/", "/abcdefghijklmnoq/", "/abcdefghijklmno/", "/page.js"] {
        assert_eq!(get(&server, path, &host).0, 404, "{path}");
    }
    // Another site's name that leads here, and another port's.
    for name in ["evil.example", "evil.example:80", "127.0.0.1:1", "127.0.0.1", ""] {
        assert_eq!(get(&server, &root, name).0, 403, "{name}");
    }
}

/// What names two hosts could mean one thing to us and another to whoever passed it on.
#[test]
fn a_request_names_one_host() {
    let server = server();
    let own = host(&server);
    assert_eq!(get(&server, &format!("/{TOKEN}/"), &own).0, 200);
    for other in ["evil.example", &own] {
        let two = format!("{own}\r\nHost: {other}");
        assert_eq!(get(&server, &format!("/{TOKEN}/"), &two).0, 400, "{other}");
    }
}

/// Half a request, at once or letter by letter, does not hold a connection; a page that says nothing does.
#[test]
fn half_sent_requests_time_out() {
    let origin = Origin { scene: "bar".into(), sets: vec!["body.bar.mesh.across=2".to_owned()] };
    let request_timeout = Duration::from_millis(600);
    let server = Server::start(Options {
        token: Some(TOKEN.into()),
        request_timeout,
        ..Options::new(origin)
    });
    let server = server.unwrap();
    let mut page = page(&server);
    let connect = || {
        let stream = TcpStream::connect(host(&server)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let ends = |mut stream: TcpStream| stream.read(&mut [0; 16]).map_or(true, |n| n == 0);
    let mut half = connect();
    write!(half, "GET /{TOKEN}/ HTTP/1.1\r\nHost: ").unwrap();
    let started = Instant::now();
    assert!(ends(half) && started.elapsed() < Duration::from_secs(15));
    let mut slow = connect();
    // Refused at last: the other side has closed.
    let fed = (0..100).take_while(|_| {
        std::thread::sleep(Duration::from_millis(100));
        slow.write_all(b"G").is_ok()
    });
    assert!(fed.count() < 100, "ten seconds of letters");
    let mut idle = connect();
    write!(idle, "GET /{TOKEN}/page.css HTTP/1.1\r\nHost: {}\r\n\r\n", host(&server)).unwrap();
    let mut text = Vec::new();
    // After the answer the connection waits for another request, for a while.
    idle.read_to_end(&mut text).unwrap();
    assert!(text.starts_with(b"HTTP/1.1 200"));
    // The page has said nothing for longer than any request may take, and is still told what happens.
    let until = Instant::now() + 3 * request_timeout;
    while Instant::now() < until {
        page.read().unwrap();
    }
}

#[test]
fn sockets_are_for_the_page_itself() {
    let server = server();
    let own = format!("http://{}", host(&server));
    assert!(connect(&server, TOKEN, Some(&own)).is_ok());
    assert_eq!(connect(&server, TOKEN, None).unwrap_err(), 403);
    assert_eq!(connect(&server, TOKEN, Some("http://evil.example")).unwrap_err(), 403);
    assert_eq!(connect(&server, TOKEN, Some("null")).unwrap_err(), 403);
    assert_eq!(connect(&server, "0123456789abcdef", Some(&own)).unwrap_err(), 404);
}

#[test]
fn a_bad_message_ends_its_own_connection_and_no_other() {
    let server = server();
    let mut watcher = page(&server);
    wait_for(&mut watcher, "scene", |_| true);
    let long = "x".repeat(20_000);
    let bad = [Message::text("{"), Message::text(long), Message::binary(vec![0_u8; 8])];
    for message in bad {
        let mut hostile = page(&server);
        hostile.send(message).unwrap();
        assert!(is_closed(&mut hostile));
    }
    let mut flood = page(&server);
    for _ in 0..2000 {
        if flood.send(Message::text(r#"{"do":"step"}"#)).is_err() {
            break;
        }
    }
    assert!(is_closed(&mut flood));
    send(&mut watcher, r#"{"do":"pause","on":true}"#);
    wait_for(&mut watcher, "status", |status| status["paused"] == true);
}

#[test]
fn one_page_holds_the_handle_and_others_can_take_it() {
    let server = server();
    let mut first = page(&server);
    assert_eq!(wait_for(&mut first, "you", |_| true)["holds"], true);
    let mut second = page(&server);
    assert_eq!(wait_for(&mut second, "you", |_| true)["holds"], false);
    // Commands of one that only watches do nothing.
    send(&mut second, r#"{"do":"speed","factor":0.5}"#);
    send(&mut first, r#"{"do":"speed","factor":0.25}"#);
    wait_for(&mut second, "status", |status| {
        assert_ne!(status["speed"], 0.5);
        status["speed"] == 0.25
    });
    send(&mut second, r#"{"do":"take"}"#);
    wait_for(&mut second, "you", |you| you["holds"] == true);
    wait_for(&mut first, "you", |you| you["holds"] == false);
    // Who goes leaves it to who is there.
    second.close(None).unwrap();
    drop(second);
    wait_for(&mut first, "you", |you| you["holds"] == true);
}

#[test]
fn a_page_that_does_not_read_misses_frames_and_nothing_piles_up() {
    // The section of a plate through its 3600 cells: about a megabyte, made anew with each place of the plane.
    let sets = ["body.jelly.mesh.cells=[60, 60, 1]", "body.jelly.rotation.angle=0"];
    let origin = Origin { scene: "jelly".into(), sets: sets.map(str::to_owned).to_vec() };
    let options = Options { token: Some(TOKEN.into()), ..Options::new(origin) };
    let server = Server::start(options).unwrap();
    let mut quick = page(&server);
    send(&mut quick, r#"{"do":"pause","on":true}"#);
    wait_for(&mut quick, "status", |status| status["paused"] == true);
    let mut slow = page(&server);
    // The page that reads gets every cut and the frame that goes with it, whatever the other one does.
    let (mut sent, mut cuts) = (0, 0);
    for k in 0..80 {
        send(
            &mut quick,
            &format!(r#"{{"do":"cut","normal":[0,0,1],"at":{}}}"#, 0.02 + 1e-3 * k as f64),
        );
        let mut shown = false;
        while !shown {
            if let Message::Binary(bytes) = quick.read().unwrap() {
                sent += bytes.len();
                cuts += usize::from(bytes[0] == 3 && bytes.len() > 100_000);
                let number = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
                // A frame with parts comes after the cut that was asked for.
                shown = bytes[0] == 1 && number > 0 && cuts > k;
            }
        }
    }
    assert!(sent > 40 << 20, "{sent}");
    // What the one that did not read finds is what the system keeps for a socket, not what was sent.
    slow.get_ref().set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut found = 0;
    while let Ok(message) = slow.read() {
        found += message.len();
    }
    assert!(found > 90_000 && found < sent / 3, "{found} of {sent}");
    // And it goes on from what there is now.
    send(&mut quick, r#"{"do":"step"}"#);
    let limit = Instant::now() + Duration::from_secs(30);
    slow.get_ref().set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let steps = |message: Message| match message {
        Message::Binary(bytes) if bytes[0] == 1 => Picture::read(&bytes).words[5],
        _ => 0,
    };
    while steps(slow.read().unwrap()) == 0 {
        assert!(Instant::now() < limit);
    }
}

#[test]
fn the_scene_is_a_file_for_those_who_know_the_token() {
    let server = server();
    let host = host(&server);
    let (status, text) = get(&server, &format!("/{TOKEN}/scene.toml"), &host);
    assert_eq!(status, 200);
    assert!(text.contains("attachment") && text.contains("[body.bar]"), "{text}");
    assert!(text.contains("across = 2"), "{text}");
    assert_eq!(get(&server, "/abcdefghijklmnoq/scene.toml", &host).0, 404);
    assert_eq!(get(&server, &format!("/{TOKEN}/scene.toml"), "evil.example").0, 403);
    // It follows what is set.
    let mut page = page(&server);
    send(&mut page, r#"{"do":"set","key":"gravity","value":1.25}"#);
    wait_for(&mut page, "scene", |scene| scene["gravity"][1] == -1.25);
    let (_, text) = get(&server, &format!("/{TOKEN}/scene.toml"), &host);
    assert!(text.contains("gravity = [0, -1.25, 0]"), "{text}");
}

#[test]
fn pins_and_the_probe_are_told_to_all_pages() {
    let server = server();
    let mut first = page(&server);
    let mut second = page(&server);
    wait_for(&mut first, "you", |you| you["holds"] == true);
    send(&mut first, r#"{"do":"pin","body":0,"triangle":0,"weights":[1,0,0]}"#);
    wait_for(&mut second, "tools", |tools| tools["pins"].as_array().is_some_and(|p| p.len() == 1));
    send(&mut first, r#"{"do":"probe","at":[0.2,0.2,0.05],"radius":0.02}"#);
    wait_for(&mut second, "tools", |tools| tools["probe"]["proxy"].is_object());
    // Who only watches moves nothing; a bad message of theirs ends their own connection.
    send(&mut second, r#"{"do":"unpin-all"}"#);
    send(&mut second, r#"{"do":"probe","at":[0,0,0],"radius":-1}"#);
    assert!(is_closed(&mut second));
    wait_for(&mut first, "tools", |tools| tools["probe"]["proxy"].is_object());
    send(&mut first, r#"{"do":"probe-off"}"#);
    let tools = wait_for(&mut first, "tools", |tools| tools["probe"].is_null());
    assert_eq!(tools["pins"].as_array().unwrap().len(), 1);
}

#[test]
fn another_address_can_be_asked_for_and_then_only_that_one_counts() {
    let origin = Origin { scene: "bar".into(), sets: vec!["body.bar.mesh.across=2".to_owned()] };
    let address = std::net::IpAddr::from([127, 0, 0, 2]);
    let options =
        Options { token: Some(TOKEN.into()), host: address, ..Options::new(origin.clone()) };
    let server = Server::start(options).unwrap();
    let host = host(&server);
    assert!(host.starts_with("127.0.0.2:"), "{host}");
    let root = format!("/{TOKEN}/");
    assert_eq!(get(&server, &root, &host).0, 200);
    assert_eq!(get(&server, &root, &host.replace("127.0.0.2", "127.0.0.1")).0, 403);
    assert!(connect(&server, TOKEN, Some(&format!("http://{host}"))).is_ok());
    // Another page of this machine is not this page.
    let other = format!("http://{}", host.replace("127.0.0.2", "localhost"));
    assert_eq!(connect(&server, TOKEN, Some(&other)).unwrap_err(), 403);
    let missing = std::path::PathBuf::from("/no/such/folder");
    let options = Options { folder: Some(missing), ..Options::new(origin) };
    let error = Server::start(options).err().unwrap();
    assert!(error.to_string().contains("is no folder"), "{error}");
}

/// What the page did is saved by the server, word for word, with the steps at which it took effect.
#[test]
fn the_input_of_a_page_can_be_saved() {
    let server = server();
    let mut page = page(&server);
    wait_for(&mut page, "status", |_| true);
    send(&mut page, r#"{"do":"pause","on":true}"#);
    wait_for(&mut page, "status", |status| status["paused"] == true);
    let pull = r#""id":5,"body":0,"triangle":3,"weights":[0.2,0.3,0.5],"at":[0.1,0.2,0.3]"#;
    send(&mut page, &format!(r#"{{"do":"grab",{pull},"stiffness":12.5}}"#));
    send(&mut page, r#"{"do":"set","key":"gravity","value":1.62}"#);
    wait_for(&mut page, "scene", |scene| scene["generation"] == 2);
    let (status, answer) = get(&server, &format!("/{TOKEN}/input.jsonl"), &host(&server));
    assert_eq!(status, 200);
    let text = server.input().unwrap();
    assert!(answer.contains("attachment; filename=\"input.jsonl\"") && answer.contains(&text));
    let input = Input::from_text(&text, "input").unwrap();
    assert_eq!(input.origin.scene, "bar");
    let said: Vec<String> = input.events.iter().map(|event| format!("{:?}", event.act)).collect();
    assert!(
        said.iter().any(|act| act.contains("Grab { id: 5") && act.contains("12.5")),
        "{said:?}"
    );
    assert!(said.iter().any(|act| act.contains("gravity") && act.contains("1.62")), "{said:?}");
    // Nothing moved while it stood.
    assert!(input.events.iter().rev().take(2).all(|event| event.step == input.steps));
}
