package mambridge;

/** Threads SCENARIO COMMAND…: does what Driver does, but no caller writes or reads for itself. See ../README.md. */
public final class Threads {
    private Threads() {
    }

    public static void main(String[] words) throws Exception {
        Stream.Pipes.areForAnyThread = false;
        Class.forName("Driver").getMethod("main", String[].class).invoke(null, (Object) words);
    }
}
