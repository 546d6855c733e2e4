try await echo(account: "bot@example.org", password: "secret")
