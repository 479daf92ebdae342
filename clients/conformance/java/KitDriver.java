import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import mambridge.Client;
import mambridge.Event;
import mambridge.errors.MambridgeException;
import mambridge.errors.ServerException;
import mambridge.testing.Network;
import mambridge.testing.Sandbox;
import mambridge.types.EnforcedAction;
import mambridge.types.FaultKind;
import mambridge.types.FaultPlace;
import mambridge.types.LaunchVerdict;
import mambridge.types.SaveLocation;

/** KitDriver SCENARIO EXECUTABLE OPTIONS: does a scenario of kits.json with the kit for tests. See ../README.md. */
public final class KitDriver {
    private static final String ALICE = "alice@contoso.example";
    private static final String BOB = "bob@contoso.example";
    private static final String ERIN = "erin@example.com";

    private final String executable;
    private final Map<?, ?> options;

    private KitDriver(String[] words) {
        executable = words[1];
        options = new Gson().fromJson(words[2], Map.class);
    }

    public static void main(String[] words) throws Exception {
        Object result = new KitDriver(words).scenario(words[0]).call();
        System.out.println(new GsonBuilder().disableHtmlEscaping().create().toJson(result));
    }

    private Callable<Object> scenario(String name) {
        return switch (name) {
            case "names" -> this::names;
            case "policy" -> this::policy;
            case "administrator" -> this::administrator;
            case "user" -> this::user;
            case "device" -> this::device;
            case "time" -> this::time;
            case "fault" -> this::fault;
            case "wipe" -> this::wipe;
            case "state" -> this::state;
            case "join" -> this::join;
            case "wrong reasons" -> this::wrongReasons;
            case "story" -> this::story;
            case "no program", "old program", "wrong seed" -> this::start;
            case "killed" -> this::killed;
            case "abandoned" -> this::abandoned;
            case "network" -> this::network;
            case "network story" -> this::networkStory;
            case "no network program", "no network code", "no network answer" -> this::noNetwork;
            case "abandoned network" -> this::abandonedNetwork;
            case "network at once" -> this::networkAtOnce;
            default -> throw new IllegalArgumentException("no scenario " + name);
        };
    }

    private Sandbox sandbox() {
        return new Sandbox(given -> {
            given.binary(executable);
            if (options.get("seed") instanceof String seed) {
                given.seed(seed);
            }
            if (options.get("at") instanceof String time) {
                given.at(Instant.parse(time));
            }
        });
    }

    private static String messageOf(Runnable work) {
        try {
            work.run();
        } catch (ServerException error) {
            return error.toString();
        } catch (AssertionError | MambridgeException error) {
            return error.getMessage();
        }
        return "no error";
    }

    private Object names() {
        try (Sandbox mam = sandbox()) {
            mam.setUser(ERIN, user -> { });
            return Map.of(
                "short", mam.enroll("alice").identity(), "written", mam.enroll(ERIN).identity(),
                "unlisted", messageOf(() -> mam.enroll("allice")), "status", mam.enroll("carol").status().value(),
                "wiped", messageOf(() -> mam.wipe("bob")));
        }
    }

    private static boolean savesToDropbox(Sandbox mam, String account) {
        return mam.client().policy()
            .isSaveToAllowedForLocation(SaveLocation.DROPBOX, options -> options.account(account));
    }

    private Object policy() {
        try (Sandbox mam = sandbox()) {
            mam.policy("bob", settings -> settings.saveAsBlocked(true));
            String status = mam.enroll("bob").status().value();
            savesToDropbox(mam, BOB);
            mam.assertBlocked("saveAsBlocked");
            mam.policy("bob", settings -> settings.saveAsBlocked(false));
            savesToDropbox(mam, BOB);
            mam.assertAllowed();
            String wrong = messageOf(() -> mam.policy("bob", settings -> settings.other("savAsBlocked", true)));
            return Map.of("status", status, "wrong", wrong);
        }
    }

    private Object administrator() {
        try (Sandbox mam = sandbox()) {
            mam.setUser(ERIN, user -> user.groups(List.of("staff")));
            mam.configuration("staff", Map.of("server", "mail.example.com"));
            mam.enroll(ERIN);
            String server = mam.client().appConfig().stringValueForKey("server", options -> options.account(ERIN));
            mam.client().sandbox().setUser(ERIN, user -> user.enabled(false));
            return Map.of("server", server, "status", checkIn(mam));
        }
    }

    private Object user() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.user(answers -> answers.pin("482913"));
            String shown = mam.client().policyManager().setUIPolicyIdentity(ALICE).value();
            boolean isSet = mam.client().pin().status(options -> options.account(ALICE)).isSet();
            return Map.of("shown", shown, "isSet", isSet);
        }
    }

    private Object device() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.device(device -> device.jailbroken(true));
            LaunchVerdict verdict = mam.client().conditionalLaunch().evaluate().verdict();
            mam.assertBlocked("deviceComplianceRequired");
            mam.device(device -> device.jailbroken(false));
            mam.user(answers -> answers.pin("482913").signIn(true));
            mam.client().conditionalLaunch().evaluate();
            mam.assertAllowed();
            return Map.of("verdict", verdict.value());
        }
    }

    private Object time() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.offline();
            Instant now = mam.advance(Duration.ofDays(91)).time();
            mam.client().conditionalLaunch().evaluate();
            mam.assertBlocked("periodOfflineBeforeWipeIsEnforced");
            return Map.of("time", now.toString(), "network", mam.online().networkAvailable());
        }
    }

    private static String checkIn(Sandbox mam) {
        return mam.checkIn().get(0).status().value();
    }

    private Object fault() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.fault(FaultPlace.SOURCE, FaultKind.SERVICE_UNAVAILABLE, fault -> fault.times(1));
            String failed = checkIn(mam);
            savesToDropbox(mam, ALICE);
            mam.assertBlocked("saveAsBlocked");
            String well = checkIn(mam);
            String wrong = messageOf(() -> mam.fault(FaultPlace.TOKEN, FaultKind.SLOW));
            mam.fault(FaultPlace.SOURCE, FaultKind.UNREACHABLE);
            String lost = checkIn(mam);
            mam.clearFaults();
            return Map.of("failed", failed, "well", well, "wrong", wrong, "lost", lost, "cleared", checkIn(mam));
        }
    }

    private Object wipe() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.wipe("alice");
            String wiped = mam.waitFor(Event.PolicyWipeDidComplete.class).identity();
            int accounts = mam.client().enrollmentManager().enrolledAccounts().size();
            String again = messageOf(() -> mam.waitFor(Event.PolicyWipeDidComplete.class, Duration.ofMillis(100)));
            return Map.of("wiped", wiped, "accounts", accounts, "again", again);
        }
    }

    private Object state() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            mam.save("enrolled");
            mam.wipe("alice");
            mam.restore("enrolled");
            int restored = mam.client().enrollmentManager().enrolledAccounts().size();
            mam.reset();
            int reset = mam.client().enrollmentManager().registeredAccounts().size();
            mam.enroll("alice");
            String changed = mam.waitFor(Event.PolicyDidChange.class).identity();
            return Map.of("restored", restored, "reset", reset, "changed", changed);
        }
    }

    private Object join() {
        try (Sandbox mam = sandbox()) {
            Client app = mam.join();
            app.enrollmentManager().registerAndEnrollAccount(ALICE);
            int accounts = mam.client().enrollmentManager().enrolledAccounts().size();
            app.close();
            mam.reset();
            return Map.of("accounts", accounts, "reset", mam.client().enrollmentManager().registeredAccounts().size());
        }
    }

    private Object wrongReasons() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            savesToDropbox(mam, ALICE);
            String setting = messageOf(() -> mam.assertBlocked("pinRequired"));
            String allowed = messageOf(mam::assertAllowed);
            mam.client().enforcement().isActionAllowed(EnforcedAction.PRINT, options -> options.account(ALICE));
            String blocked = messageOf(mam::assertBlocked);
            mam.client().policy().isPINRequired(options -> options.account(ALICE));
            String other = messageOf(mam::assertAllowed);
            return Map.of("setting", setting, "allowed", allowed, "blocked", blocked, "other", other);
        }
    }

    private Object story() throws Exception {
        try (Sandbox mam = sandbox()) {
            mam.policy("bob", settings -> settings.saveAsBlocked(true));
            mam.enroll("bob");
            String sealed = mam.client().dataProtectionManager().protectString("quarterly figures", BOB);
            mam.client().dataProtectionManager().unprotectString(sealed);
            savesToDropbox(mam, BOB);
            Files.writeString(Path.of("replay.sh"), mam.replay());
            return Map.of("story", mam.story());
        }
    }

    private Object start() {
        return Map.of("message", messageOf(() -> sandbox().close()));
    }

    private Object killed() {
        try (Sandbox mam = sandbox()) {
            mam.enroll("alice");
            ProcessHandle.of(mam.client().pid().getAsLong()).ifPresent(ProcessHandle::destroyForcibly);
            String lost = messageOf(() -> mam.enroll("alice"));
            return Map.of("lost", lost, "story", mam.report().lines().findFirst().orElseThrow());
        }
    }

    private Object abandoned() throws Exception {
        Sandbox mam = sandbox();
        mam.enroll("alice");
        System.out.println("{\"pid\": " + mam.client().pid().getAsLong() + "}");
        System.in.read();
        return Map.of();
    }

    private static String enroll(Client app) {
        return app.enrollmentManager().registerAndEnrollAccount(ALICE).status().value();
    }

    private static String checkIn(Client app) {
        return app.tenant().checkIn().get(0).status().value();
    }

    private Object network() {
        try (Sandbox mam = sandbox()) {
            Network network = mam.network();
            Client app = network.join("alice");
            Map<String, Object> found = new LinkedHashMap<>();
            found.put("status", enroll(app));
            found.put("saves", app.policy()
                .isSaveToAllowedForLocation(SaveLocation.DROPBOX, options -> options.account(ALICE)));
            network.fault("checkIn", "serviceUnavailable", fault -> fault.times(1).delay("PT1.5S"));
            found.put("failed", checkIn(app));
            found.put("well", checkIn(app));
            mam.setUser(ERIN, user -> user.groups(List.of("Administrators")));
            found.put("users", network.send("GET", "/v1.0/users", network.token(ERIN), null).status());
            mam.client().sandbox().setUser(ERIN, user -> user.groups(List.of("staff")));
            found.put("demoted", network.send("GET", "/v1.0/users", network.token(ERIN), null).status());
            found.put("refused", network.send("GET", "/v1.0/users", network.token("alice"), null).status());
            network.fault("token", "mfaRequired");
            found.put("token", messageOf(() -> network.token("alice")));
            found.put("wrong", messageOf(() -> network.fault("checkIn", "nextLinkLoop")));
            network.clearFaults();
            found.put("signedIn", !network.token("alice").isEmpty());
            found.put("asked", network.requests().stream()
                .anyMatch(request -> request.path().equals("/mam/v1/check-in") && ALICE.equals(request.who())));
            found.put("certificate", Files.exists(Path.of(network.certificate)));
            return found;
        }
    }

    private Object networkStory() {
        try (Sandbox mam = sandbox()) {
            Client app = mam.network().join("alice");
            enroll(app);
            mam.network().fault("checkIn", "serviceUnavailable");
            checkIn(app);
            return Map.of("story", mam.report());
        }
    }

    private Object noNetwork() {
        try (Sandbox mam = sandbox()) {
            return Map.of("message", messageOf(mam::network));
        }
    }

    private Object networkAtOnce() throws Exception {
        try (Sandbox mam = sandbox()) {
            CompletableFuture<Network> other = CompletableFuture.supplyAsync(mam::network);
            return Map.of("same", mam.network() == other.get());
        }
    }

    private Object abandonedNetwork() throws Exception {
        Client app = sandbox().network().join("alice");
        enroll(app);
        System.out.println("{\"pid\": " + app.pid().getAsLong() + "}");
        System.in.read();
        return Map.of();
    }
}
