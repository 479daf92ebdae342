print("mambridge")
