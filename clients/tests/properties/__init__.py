"""What is true of every policy and of every answer of a policy source, without a second implementation."""
