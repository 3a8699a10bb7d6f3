import { afterEach, describe } from "vitest";
import { FakeNode, shells } from "./fake-node.ts";

type MakeNode = (files?: Record<string, string>) => FakeNode;

/** Runs the tests on every shell that nodes may have, and removes the fake nodes after each test. */
export function onEachShell(name: string, suite: (node: MakeNode) => void): void {
  describe.each(shells.map((shell) => ({ shell })))(`${name}, run by $shell.0`, ({ shell }) => {
    const nodes: FakeNode[] = [];
    afterEach(() => {
      for (const node of nodes.splice(0)) node.remove();
    });
    suite((files) => {
      const node = new FakeNode(shell, files);
      nodes.push(node);
      return node;
    });
  });
}
