import { expect, test } from 'vitest';
import { namesOf, setSpec, settle } from './claimed.ts';
import { createModel, type Model, template } from './model.ts';

function complete(model: Model): void {
  for (const action of model.snapshot().complete(model.goal(), undefined)) model.apply(action);
}

/** Three pods, of five that there were, in place on `web:2`, the only revision that is left. */
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

test('no pod gets the name of one that was scaled in, though the revision that counted names is gone', () => {
  const { model, before } = truncated();
  expect(model.revisions).toHaveLength(1);
  setSpec(model, { replicas: 5 });
  const kept = new Set(namesOf(model.pods));
  const made = settle(model).filter((text) => text.startsWith('create '));
  expect(made).toHaveLength(2);
  const again = namesOf(model.pods).filter((name) => !kept.has(name) && before.has(name));
  expect(again).toEqual([]);
});

test('the count is on record elsewhere before the revision that has it goes', () => {
  const model = createModel({ spec: { replicas: 3, revisionHistoryLimit: 0 } });
  settle(model);
  model.setTemplate(template('web:2'));
  settle(model);
  complete(model);
  expect(model.run()).toEqual([
    expect.stringMatching(/^record pod count web-/),
    expect.stringMatching(/^forget web-/),
  ]);
});
