import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApplication } from './engines/application.ts';
import type { Files } from './engines/engine.ts';
import { createScene, type Scene } from './engines/scene.ts';
import { createVirtualStage, isAt, phaseOf, type Stage } from './engines/stage.ts';
import { commits, unprotected } from './engines/states.ts';
import { type Scripts, startLua } from './health/lua.ts';

let lua: Scripts;
let stage: Stage;
let scene: Scene;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());
beforeEach(async () => {
  stage = await createVirtualStage();
  scene = createScene(stage, 'client');
});
afterEach(() => stage.close());

const [OLD, NEW] = ['web:1', 'web:2'];
const MINUTE = 60_000;

/** Two states whose pods read a generated ConfigMap, which has another name after the commit. */
async function begun(protect = (files: Files): Files => files): Promise<[first: Files, next: Files]> {
  const history = [
    { image: OLD, config: 'one' },
    { image: NEW, config: 'two' },
  ];
  const states = await commits(history, { gated: true, namespace: stage.namespace });
  const [first = new Map(), next = new Map()] = states.map(protect);
  await scene.sync(first);
  await scene.until('the first state', (seen) => isAt(seen, OLD));
  return [first, next];
}

async function atTheGate(): Promise<void> {
  await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
}

describe('a sync of Argo CD that has something to prune, while a gate waits', () => {
  test('ends where it is set up as on the page, and the revert reaches the pods', async () => {
    const [first, next] = await begun();
    const application = createApplication(stage, scene.engine(), lua, { pruneLast: false });
    expect(await application.sync(next)).toBe(true);
    await atTheGate();
    expect(await application.advance()).toBe('succeeded');
    // Pods of the old revision still read theirs.
    expect(await scene.generated()).toEqual(['web-one', 'web-two']);
    const since = stage.now();
    expect(await application.sync(first)).toBe(true);
    await scene.until('all pods back', (seen) => isAt(seen, OLD));
    expect(stage.now() - since).toBeLessThan(MINUTE);
  });

  test('never ends with PruneLast, and keeps the revert away', async () => {
    const [first, next] = await begun(unprotected);
    const application = createApplication(stage, scene.engine(), lua, { pruneLast: true });
    expect(await application.sync(next)).toBe(true);
    await atTheGate();
    await stage.pass(60 * MINUTE);
    expect(await application.advance()).toBe('running');
    expect(await application.sync(first)).toBe(false);
  });

  test('never comes to a later wave or hook, and keeps the revert away, as the page warns', async () => {
    const [first, next] = await begun();
    const application = createApplication(stage, scene.engine(), lua, { wave: true });
    expect(await application.sync(next)).toBe(true);
    await atTheGate();
    await stage.pass(60 * MINUTE);
    expect(await application.advance()).toBe('running');
    expect(await application.sync(first)).toBe(false);
    await scene.command('Approve');
    await scene.until('the end', (seen) => phaseOf(seen) === 'Succeeded');
    expect(await application.advance()).toBe('succeeded');
  });

  test('ends with PruneLast, too, once the plan is given up: its target is Degraded', async () => {
    const [first, next] = await begun(unprotected);
    const application = createApplication(stage, scene.engine(), lua, { pruneLast: true });
    expect(await application.sync(next)).toBe(true);
    await atTheGate();
    await scene.command('Abort');
    await scene.until('the end of the plan', (seen) => phaseOf(seen) === 'Aborted');
    expect(await application.advance()).toBe('failed');
    expect(await application.sync(first)).toBe(true);
    await scene.until('all pods back', (seen) => isAt(seen, OLD));
  });
});

test('a plan that comes again after a revert waits again, and an approval of its own lets it go on', async () => {
  const [first, next] = await begun();
  for (const rollout of ['first', 'second']) {
    await scene.sync(next);
    await atTheGate();
    await stage.pass(MINUTE);
    expect([rollout, phaseOf(await scene.see())]).toEqual([rollout, 'AwaitingApproval']);
    await scene.command('Approve');
    await scene.until('the end', (seen) => phaseOf(seen) === 'Succeeded');
    await scene.sync(first);
    await scene.until('all pods back', (seen) => isAt(seen, OLD));
  }
});
