package mambridge;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A call to make: its method, its params and options, and the function that reads its result. */
record Call<T>(String method, Options<?> options, Function<Object, T> read) {
    /** Makes calls. */
    interface Maker {
        <T> T await(Call<T> call);

        <T> CompletableFuture<T> start(Call<T> call);
    }
}
