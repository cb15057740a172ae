import type { JsonObject } from '../../schemas/wire/json.ts';
import { gatesOf } from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { podTemplatesIn } from './pod-templates.ts';

/** The scheduling gates that some kind removes from pods of others. */
const GATES: readonly string[] = kinds.flatMap(({ uses }) => gatesOf(uses));

/** Whether a text may hold a template with such a gate. */
export function mayHoldGate(text: string): boolean {
  return GATES.some((gate) => text.includes(gate));
}

/** The template of the pods of a workload of Kubernetes. */
export function nativeTemplate({ spec }: JsonObject): JsonObject {
  return objectOf(objectOf(spec)['template']);
}

/** The gates of some kind that the pods of an object wait with, each with the path of the list that has it. */
export function gatesIn(object: JsonObject): { gate: string; path: readonly string[] }[] {
  return podTemplatesIn(object).flatMap(({ path, template }) => {
    const own = listOf(objectOf(template['spec'])['schedulingGates']);
    const found = GATES.filter((gate) => own.some(({ name }) => name === gate));
    return found.map((gate) => ({ gate, path: [...path, 'spec', 'schedulingGates'] }));
  });
}

/** Whether the pods of a workload wait with a gate. */
export function hasGate(workload: JsonObject, gate: string): boolean {
  const { schedulingGates } = objectOf(nativeTemplate(workload)['spec']);
  return listOf(schedulingGates).some(({ name }) => name === gate);
}

/** The workload with a gate in its template. */
export function withGate(workload: JsonObject, gate: string): JsonObject {
  if (hasGate(workload, gate)) return workload;
  const template = nativeTemplate(workload);
  const spec = objectOf(template['spec']);
  const schedulingGates = [...listOf(spec['schedulingGates']), { name: gate }];
  return {
    ...workload,
    spec: {
      ...objectOf(workload['spec']),
      template: { ...template, spec: { ...spec, schedulingGates } },
    },
  };
}
