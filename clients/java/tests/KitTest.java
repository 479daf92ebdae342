import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import mambridge.Client;
import mambridge.Event;
import mambridge.errors.ConnectionException;
import mambridge.errors.DeadlineExceededException;
import mambridge.errors.StateInUseException;
import mambridge.testing.MambridgeExtension;
import mambridge.testing.Sandbox;
import mambridge.testing.SandboxOptions;
import mambridge.types.SaveLocation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/** The kit for tests of apps, as users of JUnit meet it. test_java_kit.py runs it, and the failing classes in it. */
@ExtendWith(MambridgeExtension.class)
class KitTest {
    private static final String ALICE = "alice@contoso.example";

    @BeforeEach
    void enroll(Sandbox mam) {
        mam.enroll("alice");
    }

    @Test
    void aTestHasTheSandboxOfWhatRunsBeforeIt(Sandbox mam) {
        assertEquals(1, mam.client().enrollmentManager().enrolledAccounts().size());
    }

    @Test
    void anAppJoinsAndItsEventsAreWaitedFor(Sandbox mam) {
        mam.reset();
        Client app = mam.join(builder -> builder.timeout(Duration.ofSeconds(30)));
        app.enrollmentManager().registerAndEnrollAccount(ALICE);
        assertEquals(ALICE, mam.waitFor(Event.PolicyDidChange.class).identity());
        assertThrows(StateInUseException.class, mam::reset);
        mam.close();
        assertEquals(0, app.exitCode().getAsInt());
    }

    @Test
    void aWaitIsForTheEventsOfOneUser(Sandbox mam) {
        assertEquals(ALICE, mam.waitFor(Event.PolicyDidChange.class, Duration.ofSeconds(10), "alice").identity());
        assertThrows(AssertionError.class, () -> mam.waitFor(Event.PolicyDidChange.class, Duration.ZERO, "bob"));
        assertThrows(IllegalArgumentException.class, () -> mam.waitFor(Event.Unknown.class));
    }

    @Test
    void aPolicyMayHaveAName(Sandbox mam) {
        mam.policy("alice", settings -> settings.saveAsBlocked(true), more -> more.name("No copies"));
        mam.client().policy().isSaveToAllowedForLocation(SaveLocation.DROPBOX);
        AssertionError failure = assertThrows(AssertionError.class, mam::assertAllowed);
        assertTrue(failure.getMessage().contains("\"No copies\""), failure.getMessage());
        assertEquals(0, failure.getSuppressed().length);
    }

    @Test
    void aServerThatHangsIsEndedWithItsTest() throws Exception {
        Client client;
        try (Sandbox mam = new Sandbox(options -> options.timeout(Duration.ofMillis(200)))) {
            client = mam.client();
            new ProcessBuilder("kill", "-STOP", Long.toString(client.pid().getAsLong())).start().waitFor();
            assertEquals("The story is lost: sandbox.report: no answer within 5 s", mam.report());
        }
        assertEquals(137, client.exitCode().getAsInt());
    }

    @Test
    void durationsAreWholeSecondsOnTheClockAndAnyTimeAsALimit(Sandbox mam) {
        Instant begin = mam.advance(Duration.ZERO).time();
        assertEquals(begin.plus(Duration.ofDays(91)), mam.advance(Duration.ofDays(91)).time());
        assertEquals(begin.plus(Duration.ofDays(92)), mam.advance(Duration.ofMillis(86_400_000)).time());
        for (Duration wrong : List.of(Duration.ofMillis(1500), Duration.ofNanos(1), Duration.ofSeconds(-1))) {
            String message = assertThrows(IllegalArgumentException.class, () -> mam.advance(wrong)).getMessage();
            assertTrue(message.startsWith(wrong + " is negative, or not in whole seconds"), message);
        }
        AssertionError late = assertThrows(
            AssertionError.class, () -> mam.waitFor(Event.PolicyWipeDidComplete.class, Duration.ofMillis(250)));
        assertTrue(late.getMessage().contains("did not happen within 0.25 s"), late.getMessage());
    }

    @Test
    void aCallWithoutAnAnswerSaysItsMethodAndItsLimit() throws Exception {
        try (Sandbox mam = new Sandbox(options -> options.timeout(Duration.ofMillis(1500)))) {
            long server = mam.client().pid().getAsLong();
            new ProcessBuilder("kill", "-STOP", Long.toString(server)).start().waitFor();
            assertEquals("enrollmentManager.registerAndEnrollAccount: no answer within 1500 ms", late(() -> mam.enroll("bob")));
            assertEquals("policy.isPINRequired: no answer within 1 s",
                late(() -> mam.client().policy().isPINRequired(options -> options.timeout(Duration.ofSeconds(1)))));
            new ProcessBuilder("kill", "-CONT", Long.toString(server)).start().waitFor();
        }
    }

    private static String late(Executable call) {
        return assertThrows(DeadlineExceededException.class, call).getMessage();
    }

    @Test
    void aSandboxThatCannotStartSaysWhy() {
        refused(options -> options.binary("/"), "cannot start /: ");
        refused(options -> options.binary("no-mambridge"), "cannot start no-mambridge: there is no such program. ");
        refused(options -> options.binary("/bin/true"),
            "/bin/true does not serve a sandbox: mambridge exited with code 0. Use mambridge ");
        refused(options -> options.setting("NoSuch", 1),
            "the sandbox cannot begin: the setting NoSuch is unknown");
    }

    private static void refused(Consumer<SandboxOptions> options, String text) {
        String message = assertThrows(ConnectionException.class, () -> new Sandbox(options)).getMessage();
        assertTrue(message.contains(text), message);
    }

    static final class WithOptions {
        @RegisterExtension
        static final MambridgeExtension SANDBOX = new MambridgeExtension(options -> options
            .seed("empty").at(Instant.parse("2031-01-31T12:00:00Z")).setting("MultiIdentity", true)
            .appId("com.example.app").timeout(Duration.ofSeconds(30)));

        @Test
        void aSandboxHasTheOptionsOfItsExtension(Sandbox mam) {
            assertEquals(Instant.parse("2031-01-31T12:00:00Z"), mam.advance(Duration.ZERO).time());
            assertEquals(0, mam.client().tenant().status().userCount());
            assertEquals(true, mam.client().settings().get().get("MultiIdentity").value());
        }
    }

    @ExtendWith(MambridgeExtension.class)
    static final class Failing {
        @Test
        void verb(Sandbox mam) {
            mam.enroll("alice");
            mam.client().policy().isSaveToAllowedForLocation(SaveLocation.DROPBOX);
            mam.assertAllowed();
        }

        @Test
        void assertion(Sandbox mam) {
            mam.enroll("alice");
            assertEquals(2, mam.client().enrollmentManager().enrolledAccounts().size());
        }

        @Test
        @Timeout(value = 500, unit = TimeUnit.MILLISECONDS)
        void timeLimit(Sandbox mam) {
            mam.enroll("alice");
            mam.waitFor(Event.PolicyWipeDidComplete.class, Duration.ofMinutes(1));
        }

        @Test
        void aborted(Sandbox mam) {
            abort("not today");
        }

        @Test
        void passed(Sandbox mam) {
            mam.enroll("alice");
        }
    }

    @ExtendWith(MambridgeExtension.class)
    static final class InConstructor {
        InConstructor(Sandbox mam) {
        }

        @Test
        void never() {
        }
    }

    @ExtendWith(MambridgeExtension.class)
    static final class Killed {
        @Test
        void stops(Sandbox mam) {
            mam.enroll("alice");
            ProcessHandle.of(mam.client().pid().getAsLong()).ifPresent(ProcessHandle::destroyForcibly);
            mam.enroll("alice");
        }
    }
}
