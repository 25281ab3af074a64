//! The one way in which work is shared out.

/// Runs `work(i, item, data)` on every item, each with its own part of `data`, in parallel as far as
/// there are threads. `split(data, i)` divides what items before and from `i` on work on.
///
/// The parts are the caller's and do not depend on the number of threads; nothing is allocated.
pub fn for_each_part<T: Send, D: Send>(
    items: &mut [T],
    data: D,
    split: &(impl Fn(D, usize) -> (D, D) + Sync),
    work: &(impl Fn(usize, &mut T, D) + Sync),
) {
    let parallel = rayon::current_num_threads() > 1;
    halve(0, items, data, parallel, split, work);
}

fn halve<T: Send, D: Send>(
    first: usize,
    items: &mut [T],
    data: D,
    parallel: bool,
    split: &(impl Fn(D, usize) -> (D, D) + Sync),
    work: &(impl Fn(usize, &mut T, D) + Sync),
) {
    match items {
        [] => {}
        [item] => work(first, item, data),
        _ => {
            let half = items.len() / 2;
            let (before, after) = items.split_at_mut(half);
            let (low, high) = split(data, first + half);
            if parallel {
                rayon::join(
                    || halve(first, before, low, parallel, split, work),
                    || halve(first + half, after, high, parallel, split, work),
                );
            } else {
                halve(first, before, low, parallel, split, work);
                halve(first + half, after, high, parallel, split, work);
            }
        }
    }
}
