import { expect, test } from "vitest";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import { basic, bearer, FileCredentials, staticCredentials } from "./credentials.ts";

function mounted(files: Record<string, string>) {
  const clock = new VirtualClock();
  let reads = 0;
  const read = async (path: string): Promise<string> => {
    reads++;
    const text = files[path];
    if (text === undefined) throw new Error(`no ${path}`);
    return text;
  };
  return { clock, read, reads: () => reads };
}

test("fixed credentials cannot be renewed", async () => {
  const credentials = staticCredentials(basic("ada", "pass:word"));
  expect(await credentials.current()).toEqual({ authorization: `Basic ${btoa("ada:pass:word")}` });
  expect(credentials.reject()).toBe(false);
});

test("a token file is read again within a minute, and once for the requests in between", async () => {
  const files: Record<string, string> = { t: "one\n" };
  const { clock, read, reads } = mounted(files);
  const credentials = new FileCredentials({ tokenFile: "t" }, { clock, read });
  expect(await Promise.all([credentials.current(), credentials.current()])).toEqual([bearer("one"), bearer("one")]);
  files["t"] = "two\n";
  expect(await credentials.current()).toEqual(bearer("one"));
  expect(reads()).toBe(1);
  await clock.advance(60_000);
  expect(await credentials.current()).toEqual(bearer("two"));
});

test("a refused token is read again at once", async () => {
  const files: Record<string, string> = { t: "one" };
  const credentials = new FileCredentials({ tokenFile: "t" }, mounted(files));
  await credentials.current();
  files["t"] = "two";
  expect(credentials.reject()).toBe(true);
  expect(await credentials.current()).toEqual(bearer("two"));
});

test("a file that is missing for a moment does not invalidate its last content", async () => {
  const files: Record<string, string> = { t: "one" };
  const { clock, read } = mounted(files);
  const credentials = new FileCredentials({ tokenFile: "t" }, { clock, read });
  await credentials.current();
  delete files["t"];
  await clock.advance(60_000);
  expect(await credentials.current()).toEqual(bearer("one"));
  files["t"] = "two";
  expect(await credentials.current()).toEqual(bearer("two"));
});

test("a missing file is an error, and so is an empty one", async () => {
  await expect(new FileCredentials({ tokenFile: "t" }, mounted({})).current()).rejects.toThrow("no t");
  await expect(new FileCredentials({ tokenFile: "t" }, mounted({ t: " \n" })).current()).rejects.toThrow("t is empty");
});

test("certificate and key may come from files and from the kubeconfig", async () => {
  const credentials = new FileCredentials(
    { certificateFile: "c", inline: { key: "KEY", ...bearer("x") } },
    mounted({ c: "CERT" }),
  );
  expect(await credentials.current()).toEqual({ ...bearer("x"), certificate: { cert: "CERT", key: "KEY" } });
});
