// A reporter of vitest: the ten test files that took longest, with what loading them took.
const shown = 10;

export default class SlowestFiles {
  onTestRunEnd(modules) {
    const files = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic();
      return { ms: duration + collectDuration, project: module.project.name, file: module.relativeModuleId };
    });
    files.sort((a, b) => b.ms - a.ms);
    console.log("slowest test files:");
    for (const { ms, project, file } of files.slice(0, shown))
      console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${file} (${project})`);
  }
}
