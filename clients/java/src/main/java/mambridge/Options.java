package mambridge;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** The options of any call. A method adds its optional parameters. */
public abstract class Options<O extends Options<O>> {
    final Map<String, Object> params = new LinkedHashMap<>();
    Duration timeout;
    CancelToken cancel;
    Consumer<Progress> progress;

    Options() {
    }

    /**
     * Limits the time of the call. The server ends a call that takes longer with
     * {@link mambridge.errors.DeadlineExceededException}; so does this client if the server stays silent.
     */
    public final O timeout(Duration limit) {
        timeout = limit;
        return self();
    }

    /** Lets another thread cancel the call. */
    public final O cancel(CancelToken token) {
        cancel = token;
        return self();
    }

    /**
     * Reports how far long work is. The handler runs on a thread of the client, for one report after the other, and
     * the call returns after the last one.
     */
    public final O progress(Consumer<Progress> handler) {
        progress = handler;
        return self();
    }

    /** Sets a parameter that every call has, even if it is null. */
    final O with(String name, Object value) {
        params.put(name, value);
        return self();
    }

    /** Sets an optional parameter; null is the same as not given. */
    final O give(String name, Object value) {
        if (value == null) {
            params.remove(name);
        } else {
            params.put(name, value);
        }
        return self();
    }

    /** Runs the code of the caller that sets options. */
    final O set(Consumer<? super O> setter) {
        Objects.requireNonNull(setter, "options").accept(self());
        return self();
    }

    @SuppressWarnings("unchecked")
    private O self() {
        return (O) this;
    }
}
