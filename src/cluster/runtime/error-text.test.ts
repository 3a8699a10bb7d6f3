import { expect, test } from "vitest";
import { errorText } from "./error-text.ts";

test.each([
  ["EACCES: permission denied, mkdir '/x'", "mkdir /x: permission denied (EACCES)"],
  ["ENOSPC: no space left on device, write", "write: no space left on device (ENOSPC)"],
  [
    "use the folder /y: EROFS: read-only file system, open '/y/a b'",
    "use the folder /y: open /y/a b: read-only file system (EROFS)",
  ],
  ["listen EADDRINUSE: address already in use 127.0.0.1:1", "listen EADDRINUSE: address already in use 127.0.0.1:1"],
  ["NOT: an error, of the system", "NOT: an error, of the system"],
])("%s is read as %s", (message, text) => {
  expect(errorText(new Error(message))).toBe(text);
});
