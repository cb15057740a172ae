import { expect } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { createEngine, type Engine, type Files, type Style, type SyncOptions } from './engine.ts';
import { othersOf, ownedByEngines } from './ownership.ts';
import { at, isAt, look, type Seen, type Stage, versions } from './stage.ts';

const SECOND = 1_000;

/** A play: a stage, an engine that writes in one style, and the git state that it heals to. */
export interface Scene {
  stage: Stage;
  style: Style;
  /** Applies a git state, and from then on heals to it each second where the play does. */
  sync(files: Files, options?: SyncOptions): Promise<void>;
  /** From now on the engine applies its git state each second. */
  heal(): void;
  /** Another engine takes over, which remembers nothing. */
  restartEngine(): void;
  engine(): Engine;
  see(): Promise<Seen>;
  /** The names of the ConfigMaps that pods read, in order. */
  generated(): Promise<string[]>;
  /** Passes time until it holds; rejects after five minutes of the cluster's clock. */
  until(what: string, holds: (seen: Seen) => boolean): Promise<Seen>;
  pass(ms: number): Promise<void>;
  /** A person sends a command about the plan that runs. */
  command(action: 'Approve' | 'Abort'): Promise<void>;
  /** Syncs, and expects the first pod with this image within what the stage allows. */
  reaches(image: string, files: Files): Promise<void>;
  /** From now on nothing is written, whether the engine heals or not, for as long as the stage says. */
  rests(files: Files, ms?: number): Promise<void>;
  /** All pods are at this image; nothing is written at rest, healed or not; and every field has its one owner. */
  restsAt(image: string, files: Files): Promise<void>;
}

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const LIMIT_MS = 300 * SECOND;
const LOOK_MS = SECOND / 4;

export function createScene(stage: Stage, style: Style): Scene {
  let engine = createEngine(stage.engine, style, stage.namespace);
  let head: Files = new Map();
  let isHealing = false;
  let healedAt = stage.now();
  let sent = 0;

  async function pass(ms: number): Promise<void> {
    await stage.pass(ms);
    if (!isHealing || stage.now() - healedAt < SECOND) return;
    healedAt = stage.now();
    await engine.sync(head);
  }

  const scene: Scene = {
    stage,
    style,
    async sync(files, options) {
      if (options?.only === undefined) head = files;
      await engine.sync(files, options);
    },
    heal: () => void (isHealing = true),
    restartEngine: () => void (engine = createEngine(stage.engine, style, stage.namespace)),
    engine: () => engine,
    see: () => look(stage),
    async generated() {
      const { items } = await stage.user.list(configMaps, { namespace: stage.namespace });
      return items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith('web-'))
        .sort();
    },
    async until(what, holds) {
      const end = stage.now() + LIMIT_MS;
      for (;;) {
        const seen = await look(stage);
        if (holds(seen)) return seen;
        if (stage.now() > end) throw new Error(`${what}: it did not come about. ${shown(seen)}`);
        await pass(LOOK_MS);
      }
    },
    pass,
    async command(action) {
      const [plan] = (await look(stage)).plans;
      const { step, digest = '' } = (plan?.['status'] ?? {}) as { step?: string; digest?: string };
      sent += 1;
      await stage.user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { name: `web-${sent}`, namespace: stage.namespace },
        spec: {
          target: { kind: 'CloneSet', name: 'web' },
          action,
          ...(action === 'Approve' && step !== undefined && { step }),
          digest,
          by: stage.userName,
        },
      });
    },
    async reaches(image, files) {
      const before = at(await look(stage), image);
      const since = stage.now();
      await scene.sync(files);
      await scene.until(`a pod at ${image}`, (seen) => at(seen, image) > before);
      expect(stage.now() - since).toBeLessThanOrEqual(stage.reachMs);
    },
    async rests(files, ms = stage.restMs) {
      await calm();
      const before = versions(await look(stage));
      for (let heals = 0; heals < 5; heals += 1) {
        await stage.pass(SECOND);
        await engine.sync(files);
      }
      await stage.pass(ms);
      expect(versions(await look(stage))).toEqual(before);
    },
    async restsAt(image, files) {
      await scene.until(`all pods at ${image}`, (seen) => isAt(seen, image));
      await scene.rests(files);
      const seen = await look(stage);
      for (const object of [seen.target, ...seen.plans]) if (object !== undefined) hasOwners(object);
    },
  };

  /** What follows the last pod is written, too. */
  async function calm(): Promise<void> {
    for (let before: string[] = []; ;) {
      const now = versions(await look(stage));
      if (now.join() === before.join()) return;
      before = now;
      await stage.pass(3 * SECOND);
    }
  }
  return scene;
}

function hasOwners(object: KubeObject): void {
  expect([object.kind, othersOf(object)]).toEqual([object.kind, []]);
  expect(ownedByEngines(object)).toEqual(expect.arrayContaining(['f:spec']));
}

function shown({ target, plans, pods }: Seen): string {
  const images = pods.map(({ spec }) => JSON.stringify(spec).match(/"image":"([^"]*)"/)?.[1]);
  return JSON.stringify({
    target: target?.['status'],
    plans: plans.map(({ status }) => status),
    images,
  });
}
