import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sampled } from '../lanes.ts';
import { STYLES } from './engines/engine.ts';
import { createScene } from './engines/scene.ts';
import { othersOf } from './engines/ownership.ts';
import { plays } from './engines/plays.ts';
import { createVirtualStage, type Stage } from './engines/stage.ts';
import { commits } from './engines/states.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const cases = plays.flatMap(({ title, play }) =>
  STYLES.map((style) => [`${title}, applied by ${style}`, style, play] as const),
);

test.each(sampled('engines', cases, plays.length))('%s', async (_title, style, play) => {
  stage = await createVirtualStage();
  await play(createScene(stage, style));
});

test('a field that somebody else writes is found', async () => {
  stage = await createVirtualStage();
  const [first = new Map()] = await commits([{ image: 'web:1' }], { namespace: stage.namespace });
  await createScene(stage, 'server').sync(first);
  const at = { namespace: stage.namespace, name: 'web' };
  const owned = async (): Promise<string[]> =>
    othersOf((await stage?.user.get(resources.CloneSet, at)) as KubeObject);
  expect(await owned()).toEqual([]);
  const body = { metadata: { labels: { by: 'me' } }, spec: { replicas: 3 } };
  await stage.user.patch(resources.CloneSet, at, { type: 'merge', body }, { fieldManager: 'kruise' });
  expect(await owned()).toEqual(['kruise: f:metadata', 'kruise: f:spec']);
});
