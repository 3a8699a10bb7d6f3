import { runScenarios } from "./scenarios.ts";

runScenarios("profile-texts");
