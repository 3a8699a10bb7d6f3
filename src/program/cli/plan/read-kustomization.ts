import { spawn } from "node:child_process";

/** What `kubectl kustomize` prints for a folder: kubectl has kustomize built in, and users of `-k` have kubectl. */
export async function readKustomization(dir: string): Promise<string> {
  const child = spawn("kubectl", ["kustomize", dir], { stdio: ["ignore", "pipe", "pipe"] });
  let [text, problems] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (problems += part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", (error: NodeJS.ErrnoException) => {
      const missing =
        "needs kubectl, which is not on the path: install it, or use kustomize build DIR | attune plan -f -";
      reject(new Error(`-k ${dir}: ${error.code === "ENOENT" ? missing : error.message}`, { cause: error }));
    });
  });
  if (code !== 0) throw new Error(`-k ${dir}: kubectl kustomize: ${reasonIn(problems)}`);
  return text;
}

/** Without warnings, and without what kubectl's log has around an error. */
function reasonIn(problems: string): string {
  const [, logged] = /\berr="(.*)"\s*$/s.exec(problems) ?? [];
  const lines = problems.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("# Warning"));
  return logged?.replaceAll(String.raw`\"`, '"') ?? lines.join(" ").replace(/^error: /, "");
}
