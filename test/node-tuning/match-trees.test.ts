import { runScenarios } from "./scenarios.ts";

runScenarios("match-trees");
