import { expect, test } from 'vitest';
import { withClaims } from './claimed.ts';
import { actionText } from './model.ts';

test('a view that is older than a mark leaves it: it does not show the reason yet', () => {
  const model = withClaims();
  const [before] = model.pods;
  if (before === undefined) throw new Error('it has a pod');
  const { name } = before.metadata;
  const changed = (resourceVersion: string, labels: Record<string, string> | undefined): void => {
    model.pods = model.pods.map((pod) =>
      pod.metadata.name === name ? { ...pod, metadata: { ...pod.metadata, resourceVersion, labels } } : pod,
    );
  };
  const { labels } = before.metadata;
  changed('9000', { ...labels, 'apps.kruise.io/specified-delete': 'true' });
  const [marking] = model.decide().actions;
  if (marking === undefined) throw new Error('its claim is marked');
  model.apply(marking);
  const after = model.pods;
  model.pods = after.map((pod) => (pod.metadata.name === name ? before : pod));
  expect(model.decide().actions).toEqual([]);
  model.pods = after;
  changed('9001', labels);
  expect(model.decide().actions.map(actionText)).toEqual([`unmark claim data-${name}`]);
});
