import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

interface Step {
  description: string;
  media: { image: string };
  completionEvents: string[];
}

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    configuration: { properties: Record<string, { description?: string; markdownDescription?: string }> };
    walkthroughs: { steps: Step[] }[];
  };
}

const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const commands = new Set(contributes.commands.map(({ command }) => command));
const settings = Object.entries(contributes.configuration.properties);
const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);

test("every setting says what it means", () => {
  assert.deepEqual(settings.filter(([, { description, markdownDescription }]) => !(description ?? markdownDescription)), []);
});

test("every step of the walkthrough has its picture, and its links and events name what there is", () => {
  const known = (name: string) => !name.startsWith("sglint.") || commands.has(name) || settings.some(([key]) => key === name);
  assert.ok(steps.length > 0);
  for (const { description, media, completionEvents } of steps) {
    assert.ok(existsSync(media.image), media.image);
    const linked = [...description.matchAll(/command:([\w.]+)/g)].map((match) => match[1] ?? "");
    const events = completionEvents.map((event) => event.split(":")[1] ?? "");
    assert.deepEqual([...linked, ...events].filter((name) => !known(name)), []);
  }
});
