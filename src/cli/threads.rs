//! The same done with many things, on as many threads as the machine has.

use std::thread;

/// What `one` makes of each, in their order.
pub(super) fn on_threads<T: Sync, R: Send>(all: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let one = &one;
    thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(threads).max(1));
        let running: Vec<_> =
            parts.map(|part| (part, scope.spawn(move || part.iter().map(one).collect::<Vec<_>>()))).collect();
        let done = |(part, thread): (&[T], thread::ScopedJoinHandle<'_, Vec<R>>)| {
            thread.join().unwrap_or_else(|_| part.iter().map(one).collect())
        };
        running.into_iter().flat_map(done).collect()
    })
}
