import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Newcomer } from "./newcomer.ts";
import { type Screen, type Shell, tmux } from "./screen.ts";

const setUp: Record<Shell, readonly string[]> = {
  bash: ["source <(attune completion bash)"],
  zsh: ["autoload -Uz compinit && compinit -u", "source <(attune completion zsh)"],
  fish: ["attune completion fish | source"],
};

describe.skipIf(!tmux)("the Tab key", () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.sitDown();
    await newcomer.start("attune up --mode standalone --nodes 2");
  });
  afterAll(() => newcomer?.leave());

  describe.each(Object.keys(setUp) as Shell[])("in %s", (shell) => {
    let screen: Screen;
    beforeAll(async () => {
      screen = await newcomer.open(100, shell);
      for (const line of setUp[shell]) expect((await screen.run(line)).exit).toBe(0);
    });

    it.each([
      ["a command", "attune uninst", /attune uninstall/],
      ["a command below another", "attune tuned reco", /attune tuned recommend/],
      ["a flag", "attune plan --kust", /attune plan --kustomize/],
      ["a value of a flag", "attune status -o wi", /attune status -o wide/],
      [
        "the name of a node of the system that runs",
        "attune explain node node",
        /node-1[^]*node-2|attune explain node node-/,
      ],
      ["a file", "attune plan -f exam", /attune plan -f examples/],
    ])("completes %s", async (_, typed, completed) => {
      await screen.type(typed);
      await screen.press("Tab");
      const text = await screen.shows(completed);
      expect(text).toMatch(completed);
      await screen.press("C-c");
    });
  });
});
