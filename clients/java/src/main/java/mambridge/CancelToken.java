package mambridge;

import java.util.ArrayList;
import java.util.List;

/**
 * Cancels calls from another thread. One token may serve several calls, one after the other or at once.
 *
 * <p>A canceled call ends with {@link mambridge.errors.CancelledException} if nothing was changed. If it was too late,
 * the call ends as usual.
 */
public final class CancelToken {
    private final List<Runnable> hooks = new ArrayList<>();
    private boolean canceled;

    public void cancel() {
        List<Runnable> found;
        synchronized (hooks) {
            canceled = true;
            found = List.copyOf(hooks);
            hooks.clear();
        }
        found.forEach(Runnable::run);
    }

    public boolean isCanceled() {
        synchronized (hooks) {
            return canceled;
        }
    }

    /** Runs the hook on cancel: at once if that was before. */
    void add(Runnable hook) {
        synchronized (hooks) {
            if (!canceled) {
                hooks.add(hook);
                return;
            }
        }
        hook.run();
    }

    void remove(Runnable hook) {
        synchronized (hooks) {
            hooks.remove(hook);
        }
    }
}
