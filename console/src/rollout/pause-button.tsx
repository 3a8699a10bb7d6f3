import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import { count } from "../../../src/domain/fleet/fleet-summary.ts";
import type { PauseAnswer, PauseRequest } from "../../protocol/answers.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { WriteButton } from "../parts/states.tsx";
import { request } from "../session/request.ts";

type Row = RowOf<"rollout">;

/** Pauses or resumes a pool, after it has said what that does and what it does not stop. */
export function PauseButton({ row }: { readonly row: Row }) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const paused = row.state !== "paused";
  const verb = paused ? "Pause" : "Resume";
  const close = (): void => {
    setOpen(false);
    setProblem(undefined);
  };
  const write = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const body: PauseRequest = { ...row.pause, paused };
      await request<PauseAnswer>("pause", body);
      close();
    } catch (error) {
      // In the words of the server.
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const title = `${verb} ${row.name}?`;
  return (
    <>
      <WriteButton
        action={row.kind === "NodePool" ? "pause node pools" : "pause pools"}
        variant="secondary"
        onClick={() => setOpen(true)}
        aria-label={`${verb} ${row.name}`}
      >
        {verb}
      </WriteButton>
      <Modal isOpen={isOpen} onClose={close} variant="small" aria-labelledby="pause-title">
        <ModalHeader title={title} labelId="pause-title" />
        <ModalBody>
          {paused ? <WhatPauseDoes row={row} /> : <WhatResumeDoes row={row} />}
          {problem === undefined ? undefined : (
            <Alert component="p" isInline variant="danger" title={`Could not ${verb.toLowerCase()} ${row.name}`}>
              {problem}
            </Alert>
          )}
        </ModalBody>
        <ModalFooter>
          <Button onClick={() => void write()} isLoading={isBusy} isDisabled={isBusy}>
            {verb}
          </Button>
          <Button variant="link" onClick={close}>
            Cancel
          </Button>
        </ModalFooter>
      </Modal>
    </>
  );
}

function WhatPauseDoes({ row: { activeCount, kind } }: { readonly row: Row }) {
  return (
    <>
      <p>It stops: no further node is told a new config.</p>
      <p>It does not stop:</p>
      <ul className="rollout-list">
        <li>
          {activeCount === 0
            ? "nodes that were told before (now none): they would finish"
            : `${count(activeCount)} ${activeCount === 1 ? "node that is" : "nodes that are"} on the way: ${activeCount === 1 ? "it finishes, and may still restart" : "they finish, and may still restart"}`}
        </li>
        <li>profiles: settings that need no restart are applied on running nodes</li>
      </ul>
      <p>
        While it is paused, its nodes get no config at all, not even urgent corrections.
        {kind === "NodePool" ? " New machines still start with the config that the NodePool has." : ""}
      </p>
    </>
  );
}

function WhatResumeDoes({ row: { nodes, updated, budget } }: { readonly row: Row }) {
  const behind = nodes - updated;
  const rest = budget === undefined ? "" : `, at most ${count(budget)} at a time`;
  return (
    <p>
      {behind === 0
        ? "No node lacks a config now: none restarts because of it."
        : `${count(behind)} ${behind === 1 ? "node gets" : "nodes get"} the config of the pool${rest}. Each is drained and restarted if its changes need it.`}
    </p>
  );
}
