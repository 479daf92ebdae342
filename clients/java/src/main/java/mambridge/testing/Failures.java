package mambridge.testing;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import mambridge.Client;
import mambridge.types.EnrollmentStatus;

/** The failures of the verbs of a sandbox, and the report of a test that fails. */
final class Failures {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Client client;
    private final boolean reports;

    /** @param reports whether failures have the report, which nobody else prints. */
    Failures(Client client, boolean reports) {
        this.client = client;
        this.reports = reports;
    }

    AssertionError failure(String text) {
        AssertionError failure = new AssertionError(text);
        if (reports) {
            failure.addSuppressed(new Report(report("the calls of a test\n" + failure)));
        }
        return failure;
    }

    AssertionError notEnrolled(EnrollmentStatus status) {
        return failure(status.identity() + " is not enrolled: " + status.errorString());
    }

    /** What happened, and a script that replays it; or why they are lost. Ends a server that does not answer. */
    String report(String failure) {
        try {
            // Unlike a call that waits itself, this works in a thread that the time limit of a test has interrupted.
            return client.sandbox().reportAsync(options -> options.failure(failure))
                .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join().text();
        } catch (CompletionException error) {
            if (!(error.getCause() instanceof TimeoutException)) {
                return "The story is lost: " + error.getCause().getMessage();
            }
            ProcessHandle.of(client.pid().getAsLong()).ifPresent(ProcessHandle::destroyForcibly);
            return "The story is lost: sandbox.report: no answer within " + LIMIT.toSeconds() + " s";
        }
    }

    /** A report in the form that a stack trace prints. */
    private static final class Report extends Throwable {
        private static final long serialVersionUID = 1;

        Report(String text) {
            super(text, null, false, false);
        }

        @Override
        public String toString() {
            return "\n" + getMessage();
        }
    }
}
