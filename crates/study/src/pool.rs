//! Runs side by side, one thread each.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_scene::SceneError;

/// How far a study is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Runs that are finished.
    pub finished: usize,
    /// Of so many.
    pub total: usize,
    /// What is done of all of them, 0 to 1.
    pub share: f64,
}

/// Asked after every step of every run: false stops them all.
pub(crate) type Watch<'a> = &'a (dyn Fn(Progress) -> bool + Sync);

/// What a job tells about how far it is, and learns whether to go on.
pub(crate) type Report<'a> = &'a dyn Fn(f64) -> bool;

/// Does all jobs, the first ones first, on so many threads. Each sees a pool of one thread, so that its
/// numbers do not depend on what else is going on.
pub(crate) fn in_parallel(
    threads: usize,
    jobs: usize,
    watch: Watch<'_>,
    work: &(dyn Fn(usize, Report<'_>) + Sync),
) -> Result<(), SceneError> {
    let next = AtomicUsize::new(0);
    let shares = Mutex::new((vec![0.0_f64; jobs], 0_usize));
    let tell = |job: usize, share: f64, finished: usize| {
        let progress = {
            let mut held = shares.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            held.0[job] = share;
            held.1 += finished;
            let sum: f64 = held.0.iter().sum();
            Progress { finished: held.1, total: jobs, share: sum / jobs as f64 }
        };
        watch(progress)
    };
    let take = || {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return;
            }
            work(job, &|share| tell(job, share, 0));
            if !tell(job, 1.0, 1) {
                return;
            }
        }
    };
    let pools: Result<Vec<_>, _> = (0..threads.clamp(1, jobs.max(1)))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build())
        .collect();
    let pools = pools
        .map_err(|e| SceneError::computation(format!("cannot start threads: {e}")).because(e))?;
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(take));
        }
    });
    Ok(())
}
