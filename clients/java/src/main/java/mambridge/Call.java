package mambridge;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A call to make: its method, what the caller gives, and how to read the result. */
record Call<T>(String method, Options<?> options, Function<Object, T> read) {
    /** Makes calls. */
    interface Maker {
        <T> T await(Call<T> call);

        <T> CompletableFuture<T> start(Call<T> call);
    }
}
