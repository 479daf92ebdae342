// The sentences of the page. Like what the server says, they are English.

export default {
  "record.shell": "Shell",
  "record.python": "Python",

  "notCopied": "The browser did not allow copying. Select the text instead.",

  "offline": "The server does not answer. The page tries again until it does.",

  "token.missing": "This page has no token.",
  "token.refused": "The server does not accept the token of this page.",
  "token.failed": "The console could not start.",
  "token.help":
    "Open the printed address again, or paste it here: a reload loses the token. Your record is kept.",

  "source.none": "There is no policy source. Start the console with --tenant to name one.",
  "source.sample": "Policies come from the built-in sample tenant.",
  "source.folder": "Policies come from a tenant folder.",
  "source.program": "Policies come from a program.",

  "accounts.restart": "The app must be restarted for its new policy.",
  "accounts.more": "Not shown: {count}. Enroll one by name.",
  "accounts.none": "No account is registered yet. Enroll one of the users below.",

  "status.ended": "{account}: {status} ({code})",

  "leave.title": "Deregister {account}?",
  "leave.wipeTitle": "Wipe the data of {account}?",
  "leave.text": "Protected data stays, but cannot be opened. This goes:",
  "leave.wipeText": "This cannot be undone. This goes:",
  "leave.data": "all protected files and data of the account",
  "leave.keys": "the keys of the account in this app",
  "leave.registration": "the registration of the account",
  "leave.policy": "the policy and the app configuration",
  "leave.testPolicy": "the account's test policy",

  "policy.about": "What the policy says, what each setting affects, and which policy it comes from.",
  "policy.notRegistered": "This account is not registered, so it has no policy.",
  "policy.unmanaged": "No policy applies to this account. Unmanaged accounts have no restrictions.",

  "property.isPINRequired": "PIN required",
  "property.isManagedBrowserRequired": "Managed browser required",
  "property.isContactSyncAllowed": "Contact sync",
  "property.isWidgetContentSyncAllowed": "Widgets",
  "property.isSpotlightIndexingAllowed": "System search",
  "property.areSiriIntentsAllowed": "Assistant",
  "property.areAppIntentsAllowed": "App intents",
  "property.isAppSharingAllowed": "Sharing",
  "property.shouldFileProviderEncryptFiles": "File provider encrypts",
  "property.isFileEncryptionRequired": "File encryption",
  "property.notificationPolicy": "Notifications",
  "property.isScreenCaptureAllowed": "Screen capture",

  "test.cleared": "The tenant's policy applies again.",
  "test.title": "Test policy for {account}",
  "test.about": "These settings replace what the tenant says, until you end the test policy.",
  "test.set": "The test policy applies.",

  "compare.equal": "The two policies have the same settings.",
  "compare.needsTwo": "There is nothing to compare yet. Enroll a second account, or change the policy of one.",

  "ask.about": "Ask what an app would ask, and see why the answer is as it is. Asking changes nothing.",
  "ask.noAnswer": "The answer appears here.",
  "ask.changesOne": "This change turns the answer.",
  "ask.changesAbout": "Each of these changes alone turns the answer.",
  "ask.changesNone": "No change of one or two settings turns the answer.",

  "device.about": "Rules compare what you set here. The machine itself plays no part.",
  "device.changed": "The device has changed.",
  "device.networkAvailable.hint": "The policy source can be reached.",
  "device.jailbroken.hint": "The device is jailbroken or rooted.",
  "device.devicePinSet.hint": "The device itself asks for a PIN.",

  "clock.system":
    "The clock is the system's, so it cannot be moved. Start the console without --live and --clock to move time.",
  "clock.loseTitle": "Move the clock by {length}?",
  "clock.moved": "The clock is at {time}.",
  "clock.scenario": "Takes the network away and moves the clock past the usual limit of 90 days.",
  "clock.offlineTitle": "Go offline for 91 days?",
  "clock.offlineText": "The network goes away, and the clock moves on. This happens:",

  "clock.gap": "Older events are gone, because the server keeps them for 30 days.",

  "launch.about": "What is checked before an app shows work data, and what it would ask the user.",
  "launch.none": "Run the checks to see their outcome. They count as a launch: a wipe that is due happens.",
  "launch.noRules": "No rule applies to this account.",
  "launch.success": "The window shows {account}.",
  "launch.canceled": "The user canceled.",
  "launch.notAllowed": "The window may not show {account}.",
  "launch.failed": "The window could not show {account}.",
  "launch.is.allow": "The app may start.",
  "launch.is.warn": "The app may start with a warning.",
  "launch.is.block": "The app is blocked.",
  "launch.is.asks": "The app waits for the user.",
  "launch.is.wipe": "The data was wiped.",

  "prompt.none": "The app would ask nothing now.",
  "prompt.notRun": "Not run yet.",
  "prompt.pin": "PIN",
  "prompt.tokenHint": "The sample tenant and folders accept any token.",

  "activity.about": "The events that hosts get, and the log, as they happen. Times are in UTC.",
  "activity.full": "The pause holds no more. Newer lines are dropped until you continue.",
  "activity.open": "Open a row to see all of it.",

  "diagnostics.about":
    "Everything that support asks for. mambridge diagnostics --html writes a state's report into a file.",

  "event.enrollmentDelegate.enrollmentRequestWithStatus": "Enrollment ended",
  "event.enrollmentDelegate.policyRequestWithStatus": "Check-in ended",
  "event.enrollmentDelegate.unenrollRequestWithStatus": "Unenrollment ended",
  "event.policyManager.policyDidChange": "Policy changed",
  "event.policyManager.managementRemoved": "Management removed",
  "event.policyManager.wipeDidComplete": "Wipe done",
  "event.appConfig.didChange": "App configuration changed",
  "event.dataProtectionManager.didChange": "Data protection changed",
  "event.policyManager.restartRequired": "Restart needed",
  "event.policyManager.launchReport": "Launch report",
  "event.userStatusManager.userStatusDidChange": "User status changed",
  "event.complianceDelegate.hasComplianceStatus": "Compliance status",
  "event.policyManager.sdkDidTakeOverUI": "Prompt shown",
  "event.policyManager.sdkDidReleaseUI": "Prompt gone",
  "event.events.gap": "Older events are gone",

  "record.about": "Every click is a call that any host can make. Replayed on a new state, each gets the same answer.",
  "record.aboutCopy":
    "Every click is a call that any host can make. The state was not new, so a replay needs a copy of it.",
};
