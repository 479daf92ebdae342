package mambridge.errors;

/**
 * The thread was interrupted while it waited for a reply. The interrupt status is set again, and the server was asked
 * to cancel the call, which may have been too late.
 */
public final class CallInterruptedException extends MambridgeException {
    private static final long serialVersionUID = 1;

    public CallInterruptedException(String method) {
        super("interrupted while waiting for " + method);
    }
}
