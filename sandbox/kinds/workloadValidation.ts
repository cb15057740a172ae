import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { checkClaimSpec } from '../../schemas/pods/claimValidation.ts';
import {
  checkLabelSelector,
  fieldsOf,
  isSet,
  isUsable,
  items,
  named,
  notNegative,
  oneOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { percentRule } from './percent.ts';
import {
  checkRestartsAlways,
  checkMatch,
  checkSelectedTemplate,
  checkSelector,
  checkSelectorRequired,
  selectorText,
} from './templateValidation.ts';
import { checkPodTemplate, checkTemplateMetadata } from '../../schemas/pods/podTemplate.ts';

const isPercent = (value: unknown) => /^[0-9]+%$/.test(textOf(value));

/** The minimum value of a number or percentage; 0 if malformed. */
function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const text = textOf(value);
  return isPercent(text) ? Number.parseInt(text, 10) : /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

function checkShare(path: string, value: unknown): FieldError[] {
  if (typeof value === 'string') return isPercent(value) ? [] : [field.invalid(path, value, percentRule)];
  return notNegative(path, value);
}

function checkAtMostAll(path: string, value: unknown): FieldError[] {
  return isPercent(value) && sizeOf(value) > 100
    ? [field.invalid(path, value, 'must not be greater than 100%')]
    : [];
}

function unknownStrategy(path: string, strategy: unknown, types: readonly string[]): FieldError[] {
  const { type, rollingUpdate } = fieldsOf(strategy);
  const { maxUnavailable = 0, maxSurge = 0 } = fieldsOf(rollingUpdate);
  const parameters = isFields(rollingUpdate) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  return [field.notSupported(path, { Type: textOf(type), RollingUpdate: parameters }, types)];
}

function checkStrategy(strategy: unknown): FieldError[] {
  const path = 'spec.strategy';
  const { type, rollingUpdate } = fieldsOf(strategy);
  if (type === 'Recreate')
    return isSet(rollingUpdate)
      ? [field.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  const { maxUnavailable = 0, maxSurge = 0 } = fieldsOf(rollingUpdate);
  if (type !== 'RollingUpdate') return unknownStrategy(path, strategy, ['Recreate', 'RollingUpdate']);
  const at = `${path}.rollingUpdate.maxUnavailable`;
  return [
    ...checkShare(at, maxUnavailable),
    ...checkShare(`${path}.rollingUpdate.maxSurge`, maxSurge),
    ...(sizeOf(maxUnavailable) === 0 && sizeOf(maxSurge) === 0
      ? [field.invalid(at, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...checkAtMostAll(at, maxUnavailable),
  ];
}

function counts(spec: Fields, ...names: string[]): FieldError[] {
  return names.flatMap((name) => notNegative(`spec.${name}`, spec[name]));
}

/** Everything wrong with a Deployment. */
export function checkDeployment(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { progressDeadlineSeconds: deadline, minReadySeconds } = spec;
  const ready = typeof minReadySeconds === 'number' ? minReadySeconds : 0;
  return [
    ...counts(spec, 'replicas'),
    ...checkSelector(spec['selector'], 'deployment'),
    ...checkSelectedTemplate(object, 'ReplicaSet'),
    ...checkStrategy(spec['strategy']),
    ...counts(spec, 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    ...(typeof deadline === 'number' && deadline <= ready
      ? [field.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

/** All validation errors of a ReplicaSet; some messages call it a deployment, like the server's. */
export function checkReplicaSet(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  return [
    ...counts(spec, 'replicas', 'minReadySeconds'),
    ...checkSelector(spec['selector'], 'deployment'),
    ...checkSelectedTemplate(object, 'ReplicaSet'),
  ];
}

function checkReplacing(strategy: unknown): FieldError[] {
  const path = 'spec.updateStrategy';
  const { type, rollingUpdate } = fieldsOf(strategy);
  const { partition = 0 } = fieldsOf(rollingUpdate);
  const parameters = isFields(rollingUpdate) ? { Partition: partition, MaxUnavailable: null } : null;
  if (textOf(type) === '') return [field.required(path)];
  if (type === 'OnDelete')
    return parameters === null
      ? []
      : [
          field.invalid(
            `${path}.rollingUpdate`,
            parameters,
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ];
  return type === 'RollingUpdate'
    ? notNegative(`${path}.rollingUpdate.partition`, partition)
    : [
        field.invalid(
          path,
          { Type: type, RollingUpdate: parameters },
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
}

/** The template with volumes for the volume claim templates, and a valid name. */
function withClaims(template: unknown, claims: readonly Fields[]): Fields {
  const { spec, ...rest } = fieldsOf(template);
  if (!isFields(spec)) return fieldsOf(template);
  const { subdomain: _subdomain, hostname: _hostname, ...more } = spec;
  if (claims.length === 0) return { ...rest, spec: more };
  const names = [...new Set(claims.map(({ metadata }) => textOf(fieldsOf(metadata)['name'])))];
  const volumes = [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...items(spec['volumes']).filter(({ name }) => !names.includes(textOf(name))),
  ];
  return { ...rest, spec: { ...more, volumes } };
}

/** All validation errors of a StatefulSet. Immutable fields are not validated on update. */
export function checkStatefulSet(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { podManagementPolicy: management, selector, template } = spec;
  const { whenDeleted, whenScaled } = fieldsOf(spec['persistentVolumeClaimRetentionPolicy']);
  const claims = items(spec['volumeClaimTemplates']);
  const retention = 'spec.persistentVolumeClaimRetentionPolicy';
  const errors: FieldError[] = [];
  if (textOf(management) === '') errors.push(field.required('spec.podManagementPolicy'));
  else if (management !== 'OrderedReady' && management !== 'Parallel')
    errors.push(
      field.invalid('spec.podManagementPolicy', management, "must be 'OrderedReady' or 'Parallel'"),
    );
  const whole = withClaims(template, claims);
  const unusable = checkSelectorRequired(selector, '');
  const isSelecting = !isFields(selector) || Object.keys(selectorText(selector)).length > 0;
  return [
    ...errors,
    ...checkReplacing(spec['updateStrategy']),
    ...oneOf(`${retention}.whenDeleted`, whenDeleted, ['Retain', 'Delete']),
    ...oneOf(`${retention}.whenScaled`, whenScaled, ['Retain', 'Delete']),
    ...claims.flatMap((claim, index) =>
      checkClaimSpec(claim['spec'], `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...counts(spec, 'replicas', 'minReadySeconds'),
    ...notNegative('spec.ordinals.start', fieldsOf(spec['ordinals'])['start']),
    ...named('spec.serviceName', spec['serviceName'], 'label'),
    ...checkSelector(selector, 'statefulset'),
    ...(unusable ?? [
      ...(isSelecting ? checkMatch(selector, template) : []),
      ...checkPodTemplate(whole, 'spec.template'),
      ...checkTemplateMetadata(template, 'spec.template'),
    ]),
    ...checkRestartsAlways(template, 'StatefulSet'),
  ];
}

function checkRolling(strategy: unknown): FieldError[] {
  const path = 'spec.updateStrategy';
  const { type, rollingUpdate } = fieldsOf(strategy);
  const { maxUnavailable = 0, maxSurge = 0 } = fieldsOf(rollingUpdate);
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return unknownStrategy(path, strategy, ['RollingUpdate', 'OnDelete']);
  const at = (name: string) => `${path}.rollingUpdate.${name}`;
  const errors = [
    ...checkShare(at('maxUnavailable'), maxUnavailable),
    ...checkShare(at('maxSurge'), maxSurge),
    ...checkAtMostAll(at('maxUnavailable'), maxUnavailable),
    ...checkAtMostAll(at('maxSurge'), maxSurge),
  ];
  const [unavailable, surge] = [sizeOf(maxUnavailable) !== 0, sizeOf(maxSurge) !== 0];
  if (unavailable && surge)
    errors.push(field.invalid(at('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (!unavailable && !surge)
    errors.push(field.required(at('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** Everything wrong with a DaemonSet. */
export function checkDaemonSet(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const { selector, template } = spec;
  const isEmpty = isFields(selector) && Object.keys(selectorText(selector)).length === 0;
  return [
    ...checkLabelSelector('spec.selector', selector),
    ...(isEmpty || (isFields(selector) && !isUsable(selector)) ? [] : checkMatch(selector, template)),
    ...(isEmpty ? [field.invalid('spec.selector', {}, 'empty selector is invalid for daemonset')] : []),
    ...checkPodTemplate(template, 'spec.template'),
    ...checkRestartsAlways(template, 'DaemonSet'),
    ...counts(spec, 'minReadySeconds'),
    ...checkRolling(spec['updateStrategy']),
    ...counts(spec, 'revisionHistoryLimit'),
  ];
}
