import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { actionText, historyOf, type Model, runningPod } from './model.ts';

export const OLD = 'web:1';
export const NEW = 'web:2';

/** A target whose template went from web:1 to web:2, with `old` and `fresh` available pods, named o0 … and n0 … */
export function midway(
  old: number,
  fresh: number,
  parts: { spec?: JsonObject; strategy?: JsonObject } = {},
): Model {
  const model = historyOf([OLD, NEW], { ...parts, stable: OLD });
  model.pods = [
    ...Array.from({ length: old }, (_, i) => runningPod(model, OLD, `o${i}`)),
    ...Array.from({ length: fresh }, (_, i) => runningPod(model, NEW, `n${i}`)),
  ];
  return model;
}

export function actions(model: Model, envelope: Partial<Envelope> = {}): string[] {
  return model.decide(envelope).actions.map(actionText);
}

/** Executes the actions of one decision, without those in `next`: the process ends in between. */
export function interrupted(model: Model, envelope: Partial<Envelope> = {}): void {
  for (const action of model.decide(envelope).actions) {
    if (action.do !== 'patch') model.apply(action);
    else {
      const { next: _, ...alone } = action;
      model.apply(alone);
    }
  }
}

/** Names are hashed, so created pods are identified by their image. */
export const made = (texts: readonly string[]): string[] =>
  texts.map((t) => t.replace(/^create \S+ /, 'create at '));

export function change(model: Model, name: string, to: (pod: Pod) => Pod): void {
  model.pods = model.pods.map((pod) => (pod.metadata.name === name ? to(pod) : pod));
}

export function mark(model: Model, name: string, labels: JsonObject): void {
  change(model, name, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...(labels as Record<string, string>) } },
  }));
}
