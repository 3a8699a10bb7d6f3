import type { IgnitionFile } from "../../../language/ignition/config.ts";
import type { Condition } from "../../../language/object/condition.ts";
import type { LabelSelectorObject } from "../../../language/object/label-selector.ts";
import type { KindRef, KubeObject } from "../../../language/object/meta.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import type { Reading, Settings } from "./settings.ts";

/** An object that configures the nodes of the pools that it selects. */
export interface PoolConfig extends KubeObject {
  spec?: { machineConfigPoolSelector?: LabelSelectorObject | null };
  status?: { observedGeneration?: number; conditions?: Condition[] | null };
}

/** A pool, as far as an object for it is concerned. */
export interface TargetPool {
  readonly name: string;
  readonly isControlPlane: boolean;
  /** The text that the pool's other MachineConfigs give a file; undefined if none does. */
  textOf(path: string): string | undefined;
}

/** A kind whose objects become one generated MachineConfig for each pool. */
export interface GeneratedKind<T extends PoolConfig = PoolConfig> {
  readonly kind: KindRef<T>;
  /** In names: `99-worker-generated-<word>`. */
  readonly word: string;
  read(object: T, pools: readonly TargetPool[]): Reading;
  /** What is wrong with the settings of several objects together. */
  check(merged: Settings, pool: TargetPool): readonly FieldError[];
  files(merged: Settings, pool: TargetPool): readonly IgnitionFile[];
  /** What has no effect on the nodes of this pool. */
  ignored(settings: Settings, pool: TargetPool): readonly string[];
}

export function generatedName({ word }: Pick<GeneratedKind, "word">, pool: string): string {
  return `99-${pool}-generated-${word}`;
}

/** Also names with a number: the machine config operator generates one MachineConfig for each object of a pool. */
export function isGeneratedName({ word }: Pick<GeneratedKind, "word">, name: string): boolean {
  return new RegExp(`^99-.+-generated-${word}(-[0-9]+)?$`).test(name);
}
