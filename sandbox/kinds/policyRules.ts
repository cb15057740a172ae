import { eachWithin, withDefaultsForAbsent, within } from '../../schemas/pods/defaulting.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import type { KindRules } from '../api/registry.ts';
import { checkExpressions } from '../policies/compile.ts';
import { policyIds } from '../policies/invocations.ts';
import { checkMutations } from '../policies/mutations.ts';
import { specDefaults } from './defaulting.ts';
import { checkRule } from './webhookValidation.ts';

/** The default of a rule of a webhook or a policy. */
export const withScope = (rule: Fields): Fields => withDefaultsForAbsent(rule, { scope: '*' });

const withMatchDefaults = (match: Fields): Fields =>
  withDefaultsForAbsent(eachWithin(match, ['resourceRules', 'excludeResourceRules'], withScope), {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  });

const listAt = (value: unknown, ...path: string[]): readonly unknown[] => {
  const found = fieldAt(value, path);
  return Array.isArray(found) ? found : [];
};

/** An enum value. */
function checkValue(path: string, value: unknown, values: readonly string[]): FieldError[] {
  return typeof value !== 'string' || values.includes(value) ? [] : [field.notSupported(path, value, values)];
}

const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** The rules of a match; `operations`: the only ones that they may name. */
function checkRules(path: string, match: unknown, operations: readonly string[] | undefined): FieldError[] {
  const rules = listAt(match, 'resourceRules');
  return [
    ...['resourceRules', 'excludeResourceRules'].flatMap((name) =>
      listAt(match, name).flatMap((rule, index) =>
        checkRule(`${path}.${name}[${index}]`, isFields(rule) ? rule : {}),
      ),
    ),
    ...(operations === undefined
      ? []
      : rules.flatMap((rule) =>
          listAt(rule, 'operations').flatMap((each) =>
            checkValue(`${path}.resourceRules.operations`, each, operations),
          ),
        )),
  ];
}

function checkConstraints(spec: Fields, operations?: readonly string[]): FieldError[] {
  const path = 'spec.matchConstraints';
  const { matchConstraints, failurePolicy } = spec;
  const rules = listAt(matchConstraints, 'resourceRules');
  return [
    ...checkValue('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']),
    ...(matchConstraints === undefined
      ? [field.required(path)]
      : rules.length === 0
        ? [field.required(`${path}.resourceRules`)]
        : checkRules(path, matchConstraints, operations)),
  ];
}

const specOf = (object: Fields): Fields => (isFields(object['spec']) ? object['spec'] : {});

const defaults = specDefaults((spec) =>
  withDefaultsForAbsent(within(spec, ['matchConstraints'], withMatchDefaults), { failurePolicy: 'Fail' }),
);

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

const validating: KindRules = {
  needsRevision: true,
  defaults,
  check(object) {
    const spec = specOf(object);
    const validations = listAt(spec, 'validations');
    const either = 'validations or auditAnnotations must contain at least one item';
    return [
      ...checkConstraints(spec),
      ...(validations.length + listAt(spec, 'auditAnnotations').length === 0
        ? ['spec.validations', 'spec.auditAnnotations'].map((path) => field.required(path, either))
        : []),
      ...checkExpressions(spec),
      ...validations.flatMap((each, index) =>
        checkValue(`spec.validations[${index}].reason`, fieldAt(each, ['reason']), reasons),
      ),
    ];
  },
};

const mutating: KindRules = {
  needsRevision: true,
  defaults,
  check(object) {
    const spec = specOf(object);
    const { reinvocationPolicy } = spec;
    return [
      ...checkConstraints(spec, mutable),
      ...checkMutations(spec),
      ...(reinvocationPolicy === undefined
        ? [field.required('spec.reinvocationPolicy')]
        : checkValue('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never'])),
    ];
  },
};

const bindingDefaults = specDefaults((spec) => within(spec, ['matchResources'], withMatchDefaults));

const checkName = ({ policyName }: Fields): FieldError[] =>
  policyName === undefined ? [field.required('spec.policyName')] : [];

const validatingBinding: KindRules = {
  needsRevision: true,
  defaults: bindingDefaults,
  check(object) {
    const spec = specOf(object);
    const actions = listAt(spec, 'validationActions');
    return [
      ...checkName(spec),
      ...checkRules('spec.matchResources', spec['matchResources'], undefined),
      ...(actions.length === 0 ? [field.required('spec.validationActions')] : []),
      ...actions.flatMap((each, index) =>
        checkValue(`spec.validationActions[${index}]`, each, ['Audit', 'Deny', 'Warn']),
      ),
    ];
  },
};

const mutatingBinding: KindRules = {
  needsRevision: true,
  defaults: bindingDefaults,
  check(object) {
    const spec = specOf(object);
    return [...checkName(spec), ...checkRules('spec.matchResources', spec['matchResources'], mutable)];
  },
};

/** Admission policies and their bindings, by resource id. */
export const policyRules: Readonly<Record<string, KindRules>> = {
  [policyIds.mutating.policies]: mutating,
  [policyIds.mutating.bindings]: mutatingBinding,
  [policyIds.validating.policies]: validating,
  [policyIds.validating.bindings]: validatingBinding,
};
