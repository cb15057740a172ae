import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { jsonPatchType, objectType } from '../schema/cel/functions/patches.ts';
import { listType } from '../schema/cel/types.ts';
import {
  checkRequired,
  checkShared,
  compileShared,
  compileStep,
  type CompiledSpec,
  type Step,
} from './compile.ts';
import type { MutatingPolicy, Mutation } from './policy.ts';

/** The forms of a mutation: where its expression is, and the type of that. */
const forms = {
  ApplyConfiguration: { name: 'applyConfiguration', type: objectType },
  JSONPatch: { name: 'jsonPatch', type: listType(jsonPatchType) },
} as const;

type PatchType = keyof typeof forms;

const isPatchType = (text: string): text is PatchType => Object.hasOwn(forms, text);

/** The expressions of a mutating policy. */
export interface CompiledMutations extends CompiledSpec {
  mutations: readonly { patchType: PatchType; step: Step }[];
}

const compiled = new WeakMap<MutatingPolicy, CompiledMutations>();

/** Compiles the expressions of a mutating policy, and keeps the result with it. */
export function compileMutations(policy: MutatingPolicy): CompiledMutations {
  let known = compiled.get(policy);
  if (known !== undefined) return known;
  const shared = compileShared(policy.spec);
  const mutations = (policy.spec.mutations ?? []).flatMap((mutation) => {
    const { patchType = '' } = mutation;
    const expression = isPatchType(patchType) ? mutation[forms[patchType].name]?.expression : undefined;
    if (expression === undefined || !isPatchType(patchType)) return [];
    return [{ patchType, step: compileMutation(expression, patchType, shared) }];
  });
  known = { ...shared, mutations };
  compiled.set(policy, known);
  return known;
}

const compileMutation = (expression: string, patchType: PatchType, { extent }: CompiledSpec): Step =>
  compileStep(expression, { ...extent, patches: true }, [forms[patchType].type]);

function checkMutation(mutation: Mutation, path: string, shared: CompiledSpec): FieldError[] {
  const { patchType = '' } = mutation;
  if (patchType === '') return [field.required(`${path}.patchType`)];
  if (!isPatchType(patchType))
    return [field.notSupported(`${path}.patchType`, patchType, Object.keys(forms))];
  const { name } = forms[patchType];
  const other = name === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const own = mutation[name];
  return [
    ...(own === undefined
      ? [field.required(`${path}.${name}`, `must be specified when patchType is ${patchType}`)]
      : checkRequired(
          `${path}.${name}.expression`,
          compileMutation((own.expression ?? '').trim(), patchType, shared),
        )),
    ...(mutation[other] === undefined
      ? []
      : [
          field.invalid(
            `${path}.${other}`,
            `{${other}}`,
            `must not be specified when patchType is ${patchType}`,
          ),
        ]),
  ];
}

/** The errors in the expressions of a mutating policy, with the API server's messages. */
export function checkMutations(spec: MutatingPolicy['spec']): FieldError[] {
  const shared = compileShared(spec);
  const { mutations = [] } = spec;
  return [
    ...checkShared(shared),
    ...(mutations.length === 0
      ? [field.required('spec.mutations', 'mutations must contain at least one item')]
      : mutations.flatMap((each, index) => checkMutation(each, `spec.mutations[${index}]`, shared))),
  ];
}
