import { expect, it } from "vitest";
import { cpuinfoProbe } from "../../../language/tuned/conditions.ts";
import { type Answers, probeKey } from "../../../language/tuned/probe.ts";
import { reportedAnswers } from "./reported-answers.ts";

function reported(cpu: (number: number) => string): (string | undefined)[] {
  const text = Array.from({ length: 128 }, (_, number) => `${cpu(number)}\n`).join("");
  const answers: Answers = new Map([[probeKey(cpuinfoProbe), { type: "text", text }]]);
  return reportedAnswers(answers).map((answer) => answer.text);
}

it("has the processor of an Arm node once, however many CPUs it has", () => {
  const cpu = (number: number): string =>
    `processor\t: ${number}\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0${number % 2}\n`;
  expect(reported(cpu)).toEqual(["CPU implementer\t: 0x41\nCPU part\t: 0xd00\nCPU part\t: 0xd01\n"]);
});

it("has the processor of an x86 node without what changes all the time", () => {
  const cpu = (number: number): string =>
    `processor\t: ${number}\nvendor_id\t: GenuineIntel\ncpu MHz\t\t: ${number}.5\napicid\t\t: ${number}\nflags\t\t: fpu vme\n`;
  expect(reported(cpu)).toEqual(["vendor_id\t: GenuineIntel\nflags\t\t: fpu vme\n"]);
});

it("leaves out a processor that is too long to report", () => {
  expect(reported(() => `flags\t: ${"x".repeat(5000)}\n`)).toEqual([]);
});
