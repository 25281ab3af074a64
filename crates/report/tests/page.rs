//! Pages are well-formed, need nothing but themselves, and cannot be broken by what users write.

use pliant_draw::{ColourMap, Image};
use pliant_report::{
    Bars, Cell, Chart, ColourBar, Column, Html, Line, Page, Picture, Section, Table, Verdict,
    facts, shares,
};
use quick_xml::Reader;
use quick_xml::events::Event;

const HOSTILE: &str = "</title><script>alert('1')</script> \"&' \u{0} \u{7}";

/// Reads a page to its end; every element must be closed, and every attribute be one.
fn elements(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut reader = Reader::from_str(html);
    reader.config_mut().check_end_names = true;
    let mut list = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e} at {}", reader.error_position())) {
            Event::Start(e) | Event::Empty(e) => {
                let name = String::from_utf8(e.name().as_ref().to_vec()).unwrap();
                let attributes = e.attributes().map(|a| {
                    let a = a.unwrap();
                    let key = String::from_utf8(a.key.as_ref().to_vec()).unwrap();
                    (key, String::from_utf8(a.value.to_vec()).unwrap())
                });
                list.push((name, attributes.collect()));
            }
            Event::Eof => return list,
            _ => {}
        }
    }
}

/// Every piece there is, with every text hostile.
fn everything() -> String {
    let mut page = Page::new(HOSTILE);
    page.kind(HOSTILE);
    page.about(HOSTILE);
    page.verdict(Verdict::Bad, HOSTILE, HOSTILE);
    page.tile(HOSTILE, HOSTILE);
    page.footer(HOSTILE);
    let mut section = Section::new(HOSTILE);
    let mut table = Table::new(vec![Column::text(HOSTILE), Column::number(HOSTILE)]);
    table.row(vec![Cell::text(HOSTILE), Cell::pass(false), Cell::text("one too many")]);
    section.push(table.html());
    section.push(facts(&[(HOSTILE.into(), HOSTILE.into())]));
    section.push(Html::paragraph(HOSTILE));
    section.push(Html::list("warnings", &[HOSTILE.into()]));
    section.push(Html::folded(HOSTILE, &Html::code(HOSTILE)));
    let chart = Chart {
        title: HOSTILE.into(),
        about: HOSTILE.into(),
        x: (HOSTILE.into(), HOSTILE.into()),
        unit: HOSTILE.into(),
        lines: vec![Line::new(HOSTILE, vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, -3e300]])],
        from_zero: false,
    };
    let bars = Bars {
        title: HOSTILE.into(),
        about: HOSTILE.into(),
        label: HOSTILE.into(),
        range: [0.0, 1.0],
        counts: vec![0, 3, 1],
    };
    let image = Image { width: 2, height: 2, pixels: vec![[9, 9, 9, 255]; 4] };
    let picture = Picture { image: &image, title: HOSTILE, about: HOSTILE };
    let bar = ColourBar { map: &ColourMap::STRESS, title: HOSTILE, low: HOSTILE, high: HOSTILE };
    let parts =
        [(HOSTILE.to_owned(), 1.0, HOSTILE.to_owned()), (String::new(), -1.0, String::new())];
    section.push(Html::grid(&[
        chart.html(),
        Chart::default().html(),
        bars.html(),
        Bars::default().html(),
        picture.html(),
        bar.html(),
        shares(HOSTILE, &parts),
    ]));
    page.section(section);
    page.html()
}

#[test]
fn no_text_breaks_a_page() {
    let html = everything();
    let list = elements(&html);
    let named = |name: &str| list.iter().filter(|e| e.0 == name).count();
    assert_eq!((named("script"), named("title"), named("h1"), named("section")), (0, 1, 1, 1));
    assert!(list.iter().all(|(_, a)| a.iter().all(|(key, _)| !key.starts_with("on"))));
    assert!(!html.contains('\u{0}') && !html.contains("NaN") && !html.contains("inf"));
    assert_eq!(html.matches("<script").count(), 0);
}

#[test]
fn a_page_asks_for_nothing_from_outside() {
    let html = everything();
    for (name, attributes) in elements(&html) {
        for (key, value) in attributes {
            let inside = value.starts_with('#') || value.starts_with("data:image/png;base64,");
            assert!(
                !["src", "href", "xlink:href", "srcset"].contains(&key.as_str()) || inside,
                "{name} {key}"
            );
        }
        assert!(!["link", "script", "iframe", "object", "base"].contains(&name.as_str()), "{name}");
    }
    assert!(!html.contains("url(") && !html.contains("@import") && !html.contains("http://"));
}

#[test]
fn a_hundred_thousand_points_make_a_small_chart_that_keeps_its_peak() {
    let value = |i: u32| if i == 40_000 { 1000.0 } else { f64::from(i % 7) };
    let points = |_: u32| (0..100_000).map(|i| [f64::from(i), value(i)]).collect();
    let lines = (0..8).map(|k| Line::new("line", points(k))).collect();
    let html = Chart { title: "long".into(), unit: "J".into(), lines, ..Chart::default() }.html();
    assert!(html.as_str().len() < 60_000, "{}", html.as_str().len());
    // 1000 J is a kilojoule, and the axis reaches it.
    assert!(
        html.as_str().contains(">1.0</text>") && html.as_str().contains(">kJ</text>"),
        "{}",
        &html.as_str()[..2000]
    );
}
