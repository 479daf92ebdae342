"""demo.py ADDRESS TOKENFILE ACCOUNT LOCATIONS SECRET TEXT: the part of scripts/demo that uses TCP."""
import json
import sys
from typing import Any, Callable

from mambridge import Client

address, token_file, account, locations, secret, text = sys.argv[1:]


def ask(client: Client, right: Callable[[Any], bool], method: str, **params: Any) -> Any:
    """Prints a request with its answer, and ends the demo if the answer is wrong."""
    answer = client.call(method, **params)
    shown = ", ".join(f"{name}={value!r}" for name, value in params.items())
    print(f"client.{method}({shown})"[:160])
    print("   ->", json.dumps(answer)[:150], flush=True)
    if not right(answer):
        sys.exit(f"demo: wrong answer from {method}: {answer!r}")
    return answer


with Client.connect(address, token_file=token_file, timeout=60) as client:
    ask(client, lambda found: found["statusCode"] == 208,
        "enrollmentManager.registerAndEnrollAccount", account=account)
    ask(client, lambda found: [one["identity"] for one in found] == [account], "enrollmentManager.enrolledAccounts")
    for location, allowed in json.loads(locations).items():
        ask(client, lambda answer: answer is allowed, "policy.isSaveToAllowedForLocation",
            location=location, account=account, locationAccount=account)
        ask(client, lambda answer: answer is False, "policy.isSaveToAllowedForLocation",
            location=location, account=account)
    for key, value in {"theme": "dark", "signature": "Alice Adams <alice.adams@contoso.example>"}.items():
        ask(client, lambda answer: answer == value, "appConfig.stringValueForKey", key=key, account=account)
    ask(client, lambda answer: answer == text, "dataProtectionManager.unprotectString", string=secret)
    own = ask(client, lambda answer: answer != text,
              "dataProtectionManager.protectString", string=text, account=account)
    ask(client, lambda answer: answer == text, "dataProtectionManager.unprotectString", string=own)
