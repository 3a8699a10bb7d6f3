import { runScenarios } from "./scenarios.ts";

runScenarios("pods");
