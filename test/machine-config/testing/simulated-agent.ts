import { annotations, updateOf } from "../../../src/domain/rollout/node-annotations.ts";
import type { RolloutWorld } from "./rollout-world.ts";

/** Behaves as the agent of a node does towards the operator; every config costs a drain and a restart. */
export class SimulatedAgent {
  /** How often the node restarted for each config. */
  readonly restarts = new Map<string, number>();
  readonly #world: RolloutWorld;
  readonly #node: string;
  readonly #pauseMs: () => number;
  #isBusy = false;
  /** The config that is in force and not yet reported as done. */
  #applied = "";
  /** No restart ends while it is dead. */
  isDead = false;

  constructor(world: RolloutWorld, node: string, pauseMs: () => number) {
    this.#world = world;
    this.#node = node;
    this.#pauseMs = pauseMs;
    world.nodes.watch(({ object }) => {
      if (object.metadata.name === node) this.#wake();
    });
  }

  #wake(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#world.clock.after(this.#pauseMs(), () => {
      this.#isBusy = false;
      this.#step();
    });
  }

  #step(): void {
    const { desired, current, state, desiredDrain, lastAppliedDrain } = updateOf(
      this.#world.nodes.objects.get(this.#node)!.metadata,
    );
    if (desired === "" || (desired === current && state === "Done")) return;
    const [drain, uncordon] = [`drain-${desired}`, `uncordon-${desired}`];
    if (this.#applied === desired || current === desired) {
      if (desiredDrain !== uncordon) return this.#report({ [annotations.desiredDrain]: uncordon });
      if (lastAppliedDrain === uncordon)
        this.#report({ [annotations.currentConfig]: desired, [annotations.state]: "Done", [annotations.reason]: "" });
      return;
    }
    if (desiredDrain !== drain)
      return this.#report({ [annotations.state]: "Working", [annotations.desiredDrain]: drain });
    if (lastAppliedDrain === drain) this.#restart(desired);
  }

  #restart(config: string): void {
    this.restarts.set(config, (this.restarts.get(config) ?? 0) + 1);
    this.#isBusy = true;
    this.#report({ [annotations.postConfigAction]: "Rebooting" }, "False");
    this.#world.clock.after(20_000 + this.#pauseMs(), () => {
      if (!this.isDead) this.comeBack(config);
    });
  }

  /** The end of a restart for a config. */
  comeBack(config: string): void {
    this.#applied = config;
    this.#isBusy = false;
    this.#report({ [annotations.postConfigAction]: null }, "True");
  }

  #report(written: Record<string, string | null>, ready?: string): void {
    this.#world.nodes.patch(this.#node, {
      metadata: { annotations: written },
      ...(ready ? { status: { conditions: [{ type: "Ready", status: ready }] } } : {}),
    });
  }
}
