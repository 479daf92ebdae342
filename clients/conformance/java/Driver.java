import com.google.gson.GsonBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import mambridge.CancelToken;
import mambridge.Client;
import mambridge.Event;
import mambridge.Host;
import mambridge.HostRequest;
import mambridge.Progress;
import mambridge.errors.CanceledException;
import mambridge.errors.CancelledException;
import mambridge.errors.ConnectionException;
import mambridge.errors.DeadlineExceededException;
import mambridge.errors.EmptyDataException;
import mambridge.errors.ServerException;
import mambridge.types.Account;
import mambridge.types.AddIdentityResult;
import mambridge.types.ChallengeKind;
import mambridge.types.EnrollmentStatus;
import mambridge.types.EnteredPIN;
import mambridge.types.EventList;
import mambridge.types.PushName;
import mambridge.types.Setting;
import mambridge.types.SettingChanges;
import mambridge.types.SettingName;
import mambridge.types.ShareTarget;
import mambridge.types.StrictCheck;
import mambridge.types.SwitchIdentityResult;
import mambridge.types.TestSettings;

/** Driver SCENARIO COMMAND…: does a scenario of the conformance tests with the Java client. See ../README.md. */
public final class Driver {
    private static final String ALICE = "alice@contoso.example";
    private static final String BOB = "bob@contoso.example";
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final String executable;
    private final String[] arguments;
    private final Client.Builder builder = Client.builder().timeout(Duration.ofSeconds(30));

    private Driver(String[] command) {
        executable = command[1];
        arguments = Arrays.copyOfRange(command, 2, command.length);
    }

    public static void main(String[] words) throws Exception {
        Object result = new Driver(words).scenario(words[0]).call();
        System.out.println(new GsonBuilder().serializeNulls().disableHtmlEscaping().create().toJson(result));
    }

    private Callable<Object> scenario(String name) {
        return switch (name) {
            case "enroll" -> this::enroll;
            case "every value" -> this::everyValue;
            case "error by name" -> this::errorByName;
            case "event pushed" -> this::eventPushed;
            case "challenge answered" -> this::challengeAnswered;
            case "identity switch answered" -> () -> identitySwitch(AddIdentityResult.SUCCESS);
            case "identity switch refused" -> () -> identitySwitch(AddIdentityResult.FAILED);
            case "identity switch answered late" -> this::identitySwitchAnsweredLate;
            case "megabyte" -> this::megabyte;
            case "fifty calls" -> this::fiftyCalls;
            case "cancel" -> this::cancel;
            case "deadline" -> this::deadline;
            case "progress" -> this::progress;
            case "server killed" -> this::serverKilled;
            case "server gone at start" -> this::serverGoneAtStart;
            case "clean shutdown" -> this::cleanShutdown;
            case "ignored SIGCHLD" -> new Processes(this::spawn)::ignoredChildren;
            case "signal during a call" -> new Processes(this::spawn)::signalDuringACall;
            case "stopped server" -> new Processes(this::spawn)::stoppedServer;
            default -> throw new IllegalArgumentException("no scenario " + name);
        };
    }

    private Client spawn() {
        return builder.spawn(executable, arguments);
    }

    private Client enrolled() {
        Client client = spawn();
        client.enrollmentManager().registerAndEnrollAccount(ALICE);
        return client;
    }

    /** A map of names and values in turn. Unlike Map.of, it takes null. */
    private static Map<String, Object> result(Object... members) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (int index = 0; index < members.length; index += 2) {
            found.put((String) members[index], members[index + 1]);
        }
        return found;
    }

    private Object enroll() {
        try (Client client = spawn()) {
            Account before = client.enrollmentManager().enrolledAccount();
            EnrollmentStatus status = client.enrollmentManager().registerAndEnrollAccount(ALICE);
            EnrollmentStatus refused = client.enrollmentManager().registerAndEnrollAccount(BOB);
            List<Account> accounts = client.enrollmentManager().registeredAccounts();
            return result(
                "before", before, "status", status.status().value(), "statusCode", status.statusCode(),
                "didSucceed", status.didSucceed(), "error", status.error(), "access", status.access().value(),
                "refused", refused.status().value(), "domain", refused.error().domain(),
                "accounts", accounts.stream().map(Account::identity).toList());
        }
    }

    private Object everyValue() {
        try (Client client = enrolled()) {
            Instant before = client.debug().advanceClock(Duration.ofSeconds(1)).time();
            Instant after = client.debug().advanceClock(Duration.ofDays(1).plusSeconds(1)).time();
            byte[] sealed = client.dataProtectionManager().protect(new byte[] {0, (byte) 0xff}, ALICE);
            String words = client.dataProtectionManager().protectString("Grüße 👋\n\"\\", ALICE);
            client.settings().set(
                new SettingChanges().splashIconFileIpad("icon.png").accentColor("#0A84FF").splashDuration(2.5));
            client.settings().set(new SettingChanges().accentColor(null));
            Map<String, Setting> settings = client.settings().get(options -> options.names(List.of(
                SettingName.SPLASH_ICON_FILE_IPAD, SettingName.ACCENT_COLOR, SettingName.SPLASH_DURATION,
                SettingName.MULTI_IDENTITY)));
            List<ShareTarget> targets = List.of(
                new ShareTarget("com.example.notes", false), new ShareTarget("com.contoso.mail", true, ALICE));
            client.debug().setPolicy(
                new TestSettings().periodBeforePinReset(Duration.ofDays(30)).pinRequired(true),
                options -> options.account(ALICE));
            List<StrictCheck> checks = client.strictMode().disable(
                options -> options.checks(List.of(StrictCheck.DEPRECATED_API, StrictCheck.SEVERE_EVENT)));
            client.pin().set("2580", options -> options.account(ALICE));
            Map<String, Object> values = new TreeMap<>();
            Map<String, Object> sources = new TreeMap<>();
            settings.forEach((name, setting) -> values.put(name, setting.value()));
            settings.forEach((name, setting) -> sources.put(name, setting.source().value()));
            return result(
                "seconds", Duration.between(before, after).toSeconds(),
                "bytes", HexFormat.of().formatHex(client.dataProtectionManager().unprotect(sealed)),
                "text", client.dataProtectionManager().unprotectString(words),
                "true", client.policy().isPINRequired(options -> options.account(ALICE)),
                "enum", client.policy().notificationPolicy(options -> options.account(ALICE)).value(),
                "enums", Map.of(
                    "severeEvent", checks.contains(StrictCheck.SEVERE_EVENT),
                    "upnIdentityParam", checks.contains(StrictCheck.UPN_IDENTITY_PARAM)),
                "settings", values, "sources", sources,
                "targets", client.enforcement().filterShareTargets(targets, options -> options.account(ALICE)).targets()
                    .stream().map(ShareTarget::id).toList(),
                "number", number(client, "example.maximumAttachmentMegabytes"),
                "absent", number(client, "no.such.key"),
                "objects", new TreeSet<>(
                    client.appConfig().fullData(options -> options.account(ALICE)).get(0).keySet()),
                "isSet", client.pin().status(options -> options.account(ALICE)).isSet());
        }
    }

    private static Double number(Client client, String key) {
        return client.appConfig().numberValueForKey(key, options -> options.account(ALICE));
    }

    private Object errorByName() {
        List<Object> seen = new ArrayList<>();
        try (Client client = enrolled()) {
            try {
                client.dataProtectionManager().protectString("", ALICE);
            } catch (EmptyDataException error) {
                seen.add(result(
                    "name", error.name(), "code", error.code(), "domain", error.domain(), "sdkCode", error.sdkCode(),
                    "retryable", error.retryable(), "message", error.getMessage()));
            }
            try {
                client.file().open(Path.of("no such file").toAbsolutePath().toString());
            } catch (ServerException error) {
                seen.add(result("name", error.name(), "code", error.code(), "hint", error.hint(), "data", error.data()));
            }
        }
        return seen;
    }

    private Object eventPushed() throws InterruptedException {
        BlockingQueue<Event> arrived = new LinkedBlockingQueue<>();
        builder.onEvent(arrived::add);
        try (Client client = spawn()) {
            client.initialize(options -> options.events(List.of(PushName.POLICY_MANAGER_POLICY_DID_CHANGE)));
            client.enrollmentManager().registerAndEnrollAccount(ALICE);
            if (arrived.poll(30, TimeUnit.SECONDS) instanceof Event.PolicyDidChange event) {
                return result(
                    "event", event.event(), "identity", event.identity(), "numbered", event.seq() > 0,
                    "year", event.time().atOffset(ZoneOffset.UTC).getYear() > 2000);
            }
        }
        throw new IllegalStateException("no such event");
    }

    /** Sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told. */
    private static final class Screen implements Host {
        final List<String> asked = Collections.synchronizedList(new ArrayList<>());
        private final AddIdentityResult answer;
        private final Duration delay;
        private volatile Client client;

        Screen(AddIdentityResult answer, Duration delay) {
            this.answer = answer;
            this.delay = delay;
        }

        @Override
        public EnteredPIN promptForPIN(HostRequest.PromptForPIN request) {
            asked.add(request.challenge().kind() + " in " + request.challenge().window());
            if (request.challenge().kind() == ChallengeKind.SET_PIN) {
                return new EnteredPIN().withPin("2580");
            }
            throw new CanceledException();
        }

        @Override
        public AddIdentityResult identitySwitchRequired(HostRequest.IdentitySwitchRequired request) {
            asked.add(request.reason() + " to '" + request.identity() + "' in " + request.window());
            pause(delay);
            if (answer == AddIdentityResult.FAILED) {
                return answer;
            }
            SwitchIdentityResult end = client.policyManager().setUIPolicyIdentity("", options -> options.window("inbox"));
            return end == SwitchIdentityResult.SUCCESS ? AddIdentityResult.SUCCESS : AddIdentityResult.FAILED;
        }
    }

    private static void pause(Duration length) {
        try {
            Thread.sleep(length.toMillis());
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A client whose window shows Alice, an hour after she set her PIN. */
    private Client withScreen(Screen screen) {
        Client client = builder.host(screen).spawn(executable, arguments);
        screen.client = client;
        client.initialize();
        client.enrollmentManager().registerAndEnrollAccount(ALICE);
        client.policyManager().setUIPolicyIdentity(ALICE, options -> options.window("inbox"));
        client.debug().advanceClock(Duration.ofHours(1));
        return client;
    }

    private Object challengeAnswered() {
        Screen screen = new Screen(AddIdentityResult.SUCCESS, Duration.ZERO);
        builder.host(screen);
        try (Client client = spawn()) {
            client.initialize();
            client.enrollmentManager().registerAndEnrollAccount(ALICE);
            SwitchIdentityResult shown =
                client.policyManager().setUIPolicyIdentity(ALICE, options -> options.window("inbox"));
            boolean isSet = client.pin().status(options -> options.account(ALICE)).isSet();
            return result("asked", screen.asked, "shown", shown.value(), "isSet", isSet);
        }
    }

    private Object identitySwitch(AddIdentityResult answer) {
        Screen screen = new Screen(answer, Duration.ZERO);
        try (Client client = withScreen(screen)) {
            String verdict = client.conditionalLaunch().didBecomeActive(options -> options.window("inbox")).verdict().value();
            Account account = client.policyManager().getUIPolicyIdentity(options -> options.window("inbox"));
            return result(
                "asked", screen.asked, "verdict", verdict, "shows", account == null ? null : account.identity());
        }
    }

    private Object identitySwitchAnsweredLate() {
        Screen screen = new Screen(AddIdentityResult.SUCCESS, Duration.ofMillis(1500));
        try (Client client = withScreen(screen)) {
            String end = "answered";
            try {
                client.conditionalLaunch().didBecomeActive(
                    options -> options.window("inbox").timeout(Duration.ofMillis(500)));
            } catch (DeadlineExceededException error) {
                end = error.name();
            }
            pause(Duration.ofSeconds(2));
            return result("asked", screen.asked, "end", end, "alive", alive(client));
        }
    }

    private static boolean alive(Client client) {
        return !client.versionInfo().sdkVersion().isEmpty();
    }

    private Object megabyte() {
        byte[] data = new byte[1 << 20];
        for (int index = 0; index < data.length; index++) {
            data[index] = (byte) (index * 7 % 251);
        }
        try (Client client = enrolled()) {
            byte[] sealed = client.dataProtectionManager().protect(data, ALICE);
            byte[] opened = client.dataProtectionManager().unprotect(sealed);
            return result(
                "length", opened.length, "same", Arrays.equals(opened, data), "longer", sealed.length > data.length);
        }
    }

    private Object fiftyCalls() {
        try (Client client = spawn()) {
            client.initialize();
            long after = client.events().list().next();
            List<CompletableFuture<EventList>> waiting = IntStream.range(0, 50).mapToObj(
                number -> client.events().listAsync(options -> options.after(after).waitMilliseconds(30_000))).toList();
            client.enrollmentManager().registerAndEnrollAccount(ALICE);
            List<EventList> pages = waiting.stream().map(CompletableFuture::join).toList();
            return result(
                "answered", pages.size(), "withEvents", pages.stream().filter(page -> !page.events().isEmpty()).count());
        }
    }

    private Object cancel() {
        CancelToken token = new CancelToken();
        try (Client client = spawn()) {
            client.initialize();
            CompletableFuture.delayedExecutor(SHORT.toMillis(), TimeUnit.MILLISECONDS).execute(token::cancel);
            Instant start = Instant.now();
            String end = "answered";
            try {
                client.events().list(options -> options.waitMilliseconds(MINUTE.toMillis()).cancel(token));
            } catch (CancelledException error) {
                end = error.name();
            }
            return result("end", end, "soon", soon(start), "alive", alive(client));
        }
    }

    private static boolean soon(Instant start) {
        return Duration.between(start, Instant.now()).toSeconds() < 20;
    }

    private Object deadline() {
        try (Client client = spawn()) {
            client.initialize();
            Instant start = Instant.now();
            String name = "answered";
            Object committed = null;
            try {
                client.events().list(options -> options.waitMilliseconds(MINUTE.toMillis()).timeout(SHORT));
            } catch (DeadlineExceededException error) {
                name = error.name();
                committed = error.data().get("committed");
            }
            return result("name", name, "committed", committed, "soon", soon(start), "alive", alive(client));
        }
    }

    private Object progress() {
        List<Progress> heard = Collections.synchronizedList(new ArrayList<>());
        try (Client client = enrolled()) {
            EnrollmentStatus end = client.enrollmentManager().deRegisterAndUnenrollAccount(
                ALICE, options -> options.withWipe(true).progress(heard::add));
            Progress first = heard.get(0);
            return result("status", end.status().value(), "first", first.kind() + " " + first.percentage().longValue());
        }
    }

    private Object serverKilled() {
        List<String> ends = new ArrayList<>();
        try (Client client = spawn()) {
            client.initialize();
            ProcessHandle server = ProcessHandle.of(client.pid().getAsLong()).orElseThrow();
            CompletableFuture.delayedExecutor(SHORT.toMillis(), TimeUnit.MILLISECONDS).execute(server::destroyForcibly);
            for (int call = 0; call < 2; call++) {
                try {
                    client.events().list(options -> options.waitMilliseconds(MINUTE.toMillis()));
                    ends.add("answered");
                } catch (ConnectionException lost) {
                    ends.add("signal " + (lost.exitCode() - 128) + ": " + lost.getMessage());
                }
            }
        }
        return result("ends", ends);
    }

    private Object serverGoneAtStart() {
        try (Client client = spawn()) {
            return result("answered", client.versionInfo().sdkVersion());
        } catch (ConnectionException lost) {
            return result("exitCode", lost.exitCode(), "says", lost.getMessage());
        }
    }

    private Object cleanShutdown() {
        Client client = enrolled();
        client.shutdown();
        client.close();
        client.close();
        String end = "answered";
        try {
            client.versionInfo().sdkVersion();
        } catch (ConnectionException lost) {
            end = "lost";
        }
        return result("exitCode", client.exitCode().getAsInt(), "afterwards", end);
    }
}
