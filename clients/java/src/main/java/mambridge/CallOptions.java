package mambridge;

/** The options of a method that has no optional parameters. */
public final class CallOptions extends Options<CallOptions> {
    CallOptions() {
    }
}
