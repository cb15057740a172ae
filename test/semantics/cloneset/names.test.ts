import { expect, test } from 'vitest';
import { namesOf, setSpec, settle } from './claimed.ts';
import { createModel, type Model, template } from './model.ts';

function complete(model: Model): void {
  for (const action of model.snapshot().complete(model.goal(), undefined)) model.apply(action);
}

/** Three of originally five pods, updated in place to `web:2`, the only remaining revision. */
function truncated(): { model: Model; before: Set<string> } {
  const model = createModel({ spec: { replicas: 3, revisionHistoryLimit: 0 } });
  settle(model);
  setSpec(model, { replicas: 5 });
  settle(model);
  const before = new Set(namesOf(model.pods));
  setSpec(model, { replicas: 3 });
  settle(model);
  model.setTemplate(template('web:2'));
  settle(model);
  complete(model);
  settle(model);
  return { model, before };
}

test('no pod gets the name of one that was scaled in, even if the revision with the counter is deleted', () => {
  const { model, before } = truncated();
  expect(model.revisions).toHaveLength(1);
  setSpec(model, { replicas: 5 });
  const kept = new Set(namesOf(model.pods));
  const made = settle(model).filter((text) => text.startsWith('create '));
  expect(made).toHaveLength(2);
  const again = namesOf(model.pods).filter((name) => !kept.has(name) && before.has(name));
  expect(again).toEqual([]);
});

test('the counter is recorded on another revision before the one that has it is deleted', () => {
  const model = createModel({ spec: { replicas: 3, revisionHistoryLimit: 0 } });
  settle(model);
  model.setTemplate(template('web:2'));
  settle(model);
  complete(model);
  expect(model.run()).toEqual([
    expect.stringMatching(/^annotate revision web-/),
    expect.stringMatching(/^delete revision web-/),
  ]);
});
