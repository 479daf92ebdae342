//! What threads wait with.
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A lock that a panic elsewhere does not close: all that it guards is valid between any two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits while the condition is true, up to the deadline.
pub fn wait_while<'m, T>(
    changed: &Condvar,
    guard: MutexGuard<'m, T>,
    deadline: Option<Instant>,
    condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'m, T> {
    match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
        Some(limit) => changed.wait_timeout_while(guard, limit, condition).unwrap_or_else(PoisonError::into_inner).0,
        None => changed.wait_while(guard, condition).unwrap_or_else(PoisonError::into_inner),
    }
}

/// Asks again and again, at growing intervals, until there is an answer or the deadline passes.
pub fn wait_for<T>(deadline: Instant, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let mut pause = Duration::from_millis(1);
    loop {
        let now = Instant::now();
        if let Some(found) = ask() {
            return Some(found);
        }
        if now >= deadline {
            return None;
        }
        thread::sleep(pause.min(deadline - now));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The end of a time limit; `None` if it is too far away to be a limit.
pub fn after(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}
