import java.time.Duration;
import java.util.List;
import mambridge.Client;
import mambridge.Event;
import mambridge.Host;
import mambridge.HostRequest;
import mambridge.errors.PolicyNeededException; // wrong
import mambridge.errors.PolicyRequiredException;
import mambridge.types.AddIdentityResult;
import mambridge.types.EnrollmentStatus;
import mambridge.types.EnrollmentStatusCode;
import mambridge.types.EnteredPIN;
import mambridge.types.FileFlag;
import mambridge.types.PushName;
import mambridge.types.SDKLevel;
import mambridge.types.SaveLocation;
import mambridge.types.SettingChanges;
import mambridge.types.ShareTarget;
import mambridge.types.TestSettings;

/** Each line that ends in "wrong" has one mistake, which the compiler must reject; it must accept the others. */
final class Typos {
    static final class Screen implements Host {
        @Override
        public EnteredPIN promptForPIN(HostRequest.PromptForPIN request) {
            return new EnteredPIN().withPim("2580"); // wrong
        }

        @Override
        public AddIdentityResult addIdentity(HostRequest.AddIdentity request) {
            return AddIdentityResult.SUCESS; // wrong
        }

        @Override // wrong
        public boolean isExternalUrl(HostRequest.IsExternalURL request) {
            return request.url().isEmpty();
        }
    }

    static void right(Client client) {
        client.initialize(options -> options.events(List.of(PushName.POLICY_MANAGER_POLICY_DID_CHANGE)));
        boolean required = client.policy().isPINRequired(options -> options.account("a").timeout(Duration.ofSeconds(1)));
        EnrollmentStatus status = client.enrollmentManager().registerAndEnrollAccount("a");
        System.out.println(required && status.status() == EnrollmentStatusCode.NEW_POLICIES_RECEIVED);
        client.debug().setPolicy(new TestSettings().pinRequired(true).minimumPinLength(4).other("A name of the SDK", 1));
        client.file().open("/tmp/x", options -> options.flags(List.of(FileFlag.READ_ONLY)));
    }

    static void wrong(Client client) {
        client.policy().isPINRequird(); // wrong
        client.polcy().isPINRequired(); // wrong
        client.policyManager().polices(); // wrong
        client.policy().isPINRequired(options -> options.acount("alice")); // wrong
        client.policy().isPINRequired("alice"); // wrong
        client.policy().isPINRequired(options -> options.account(7)); // wrong
        client.policy().isPINRequired(options -> options.timeout(1.5)); // wrong
        client.policy().isSaveToAllowedForLocation(SaveLocation.LOCAL_DISK); // wrong
        client.policy().isSaveToAllowedForLocation("localDrive"); // wrong
        client.policy().isSaveToAllowedForLocation(); // wrong
        client.dataProtectionManager().protect(new byte[1]); // wrong
        client.dataProtectionManager().protect("text", "alice"); // wrong
        String text = client.dataProtectionManager().protect(new byte[1], "alice"); // wrong
        boolean later = client.policy().isPINRequiredAsync(); // wrong
        System.out.println(client.enrollmentManager().registerAndEnrollAccount("alice").statuscode()); // wrong
        EnrollmentStatusCode status = EnrollmentStatusCode.NEW_POLICY_RECEIVED; // wrong
        System.out.println(client.policyManager().isManagementEnabled().value()); // wrong
        client.initialize(options -> options.events(List.of("policyManager.policyDidChange"))); // wrong
        client.initialize(options -> options.sdkLevel(SDKLevel.LEVEL_20)); // wrong
        client.settings().set(new SettingChanges().accentColour(null)); // wrong
        client.settings().set(new SettingChanges().supportsDarkMode("yes")); // wrong
        client.settings().set(new SettingChanges().accentColor(7)); // wrong
        client.settings().set(new TestSettings()); // wrong
        client.debug().advanceClock("P1D"); // wrong
        client.file().open("/tmp/x", options -> options.flags(FileFlag.READ_ONLY)); // wrong
        client.enforcement().filterShareTargets(List.of(new ShareTarget("id"))); // wrong
    }

    static void heard(Event event) {
        if (event instanceof Event.PolicyDidChange change) {
            System.out.println(change.sequence()); // wrong
        }
        if (event instanceof Event.PolicyChanged) { // wrong
            System.out.println(PolicyRequiredException.CODE);
        }
    }
}
