import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { amountOf, amountText } from '../../schemas/pods/amount.ts';
import {
  fieldsOf,
  isSet,
  isMissing,
  items,
  oneOf,
  pathSegment,
  requiredName,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';
import { checkContainerResource } from '../../schemas/pods/resourceValidation.ts';

function checkReference(given: unknown, path: string, needsGroup: boolean): FieldError[] {
  const reference = fieldsOf(given);
  const apiVersion = textOf(reference['apiVersion']);
  const needed = (name: string) =>
    isMissing(reference[name])
      ? [field.required(`${path}.${name}`)]
      : pathSegment(`${path}.${name}`, reference[name]);
  const errors = [...needed('kind'), ...needed('name')];
  const refuse = (why: string) => [...errors, field.invalid(`${path}.apiVersion`, apiVersion, why)];
  if (apiVersion.split('/').length > 2) return refuse(`unexpected GroupVersion string: ${apiVersion}`);
  const isGrouped = apiVersion.includes('/') && !apiVersion.startsWith('/');
  return needsGroup && !isGrouped && reference['kind'] !== 'ReplicationController'
    ? refuse('apiVersion must specify API group')
    : errors;
}

function checkTarget(given: unknown, path: string): FieldError[] {
  const target = fieldsOf(given);
  const type = textOf(target['type']);
  const errors: FieldError[] = [];
  if (type === '') errors.push(field.required(`${path}.type`, 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(field.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  for (const name of ['value', 'averageValue']) {
    const amount = amountOf(target[name]);
    if (amount !== undefined && amount.billionths <= 0n)
      errors.push(field.invalid(`${path}.${name}`, amountText(amount), 'must be positive'));
  }
  const { averageUtilization: share } = target;
  if (typeof share === 'number' && share < 1)
    errors.push(field.invalid(`${path}.averageUtilization`, share, 'must be greater than 0'));
  return errors;
}

function checkMetricName(given: unknown, path: string): FieldError[] {
  const { name } = fieldsOf(given);
  return isMissing(name)
    ? [field.required(`${path}.name`, 'must specify a metric name')]
    : pathSegment(`${path}.name`, name);
}

type Check = (source: Fields, path: string) => FieldError[];

/** A metric target has either a utilization or a value. */
const checkUse: Check = ({ target }, path) => {
  const { averageUtilization, averageValue } = fieldsOf(target);
  const at = `${path}.target`;
  const errors = checkTarget(target, at);
  if (!isSet(averageUtilization) && !isSet(averageValue))
    errors.push(
      field.required(
        `${at}.averageUtilization`,
        'must set either a target raw value or a target utilization',
      ),
    );
  if (isSet(averageUtilization) && isSet(averageValue))
    errors.push(
      field.forbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization'),
    );
  return errors;
};

const needsName = (name: unknown, path: string) =>
  isMissing(name) ? [field.required(`${path}.name`, 'must specify a resource name')] : [];

/** In the order of the server's checks. */
const sources: Readonly<Record<string, Check>> = {
  object: (source, path) => {
    const { value, averageValue } = fieldsOf(source['target']);
    return [
      ...checkReference(source['describedObject'], `${path}.describedObject`, false),
      ...checkMetricName(source['metric'], `${path}.metric`),
      ...checkTarget(source['target'], `${path}.target`),
      ...(isSet(value) || isSet(averageValue)
        ? []
        : [field.required(`${path}.target.averageValue`, 'must set either a target value or averageValue')]),
    ];
  },
  external: (source, path) => {
    const { value, averageValue } = fieldsOf(source['target']);
    const errors = [
      ...checkMetricName(source['metric'], `${path}.metric`),
      ...checkTarget(source['target'], `${path}.target`),
    ];
    if (!isSet(value) && !isSet(averageValue))
      errors.push(
        field.required(
          `${path}.target.averageValue`,
          'must set either a target value for metric or a per-pod target',
        ),
      );
    if (isSet(value) && isSet(averageValue))
      errors.push(
        field.forbidden(
          `${path}.target.value`,
          'may not set both a target value for metric and a per-pod target',
        ),
      );
    return errors;
  },
  pods: (source, path) => [
    ...checkMetricName(source['metric'], `${path}.metric`),
    ...checkTarget(source['target'], `${path}.target`),
    ...(isSet(fieldsOf(source['target'])['averageValue'])
      ? []
      : [field.required(`${path}.target.averageValue`, 'must specify a positive target averageValue')]),
  ],
  resource: (source, path) => [...needsName(source['name'], path), ...checkUse(source, path)],
  containerResource: (source, path) => [
    ...(isMissing(source['name'])
      ? needsName(source['name'], path)
      : checkContainerResource(`${path}.name`, textOf(source['name']))),
    ...(isMissing(source['container'])
      ? [field.required(`${path}.container`, 'must specify a container')]
      : requiredName(`${path}.container`, source['container'], 'label')),
    ...checkUse(source, path),
  ],
};
const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

function checkMetric(metric: Fields, path: string): FieldError[] {
  const type = textOf(metric['type']);
  const errors: FieldError[] = [];
  if (type === '') errors.push(field.required(`${path}.type`, 'must specify a metric source type'));
  errors.push(...oneOf(`${path}.type`, type, types));
  const given = Object.keys(sources).filter((name) => isFields(metric[name]));
  const [first] = given;
  if (first !== undefined)
    errors.push(...(sources[first]?.(fieldsOf(metric[first]), `${path}.${first}`) ?? []));
  const expected = type.charAt(0).toLowerCase() + type.slice(1);
  if (!types.includes(type)) errors.push(...oneOf(`${path}.type`, type, types));
  else if (!isFields(metric[expected]))
    errors.push(
      field.required(`${path}.${expected}`, 'must populate information for the given metric source'),
    );
  if (given.length > 1)
    errors.push(
      ...given
        .filter((name) => name !== expected)
        .map((name) => field.forbidden(`${path}.${name}`, 'must populate the given metric source only')),
    );
  return errors;
}

function checkPolicy(policy: Fields, path: string): FieldError[] {
  const { type, value = 0, periodSeconds = 0 } = policy;
  const errors = oneOf(`${path}.type`, textOf(type), ['Percent', 'Pods']);
  for (const [name, number] of Object.entries({ value, periodSeconds }))
    if (Number(number) <= 0)
      errors.push(field.invalid(`${path}.${name}`, number, 'must be greater than zero'));
  if (Number(periodSeconds) > 1800)
    errors.push(field.invalid(`${path}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800'));
  return errors;
}

function checkScaling(rules: unknown, path: string): FieldError[] {
  if (!isFields(rules)) return [];
  const { stabilizationWindowSeconds: seconds } = rules;
  const policies = items(rules['policies']);
  const errors: FieldError[] = [];
  const at = `${path}.stabilizationWindowSeconds`;
  if (typeof seconds === 'number' && seconds < 0)
    errors.push(field.invalid(at, seconds, 'must be greater than or equal to zero'));
  if (typeof seconds === 'number' && seconds > 3600)
    errors.push(field.invalid(at, seconds, 'must be less than or equal to 3600'));
  errors.push(...oneOf(`${path}.selectPolicy`, rules['selectPolicy'], ['Disabled', 'Max', 'Min']));
  if (policies.length === 0)
    errors.push(field.required(`${path}.policies`, 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, index) => checkPolicy(policy, `${path}.policies[${index}]`)));
  const tolerance = amountOf(rules['tolerance']);
  if (tolerance !== undefined && tolerance.billionths < 0n)
    errors.push(
      field.invalid(`${path}.tolerance`, amountText(tolerance), 'must be greater than or equal to 0'),
    );
  return errors;
}

/** Everything wrong with a HorizontalPodAutoscaler. */
export function checkAutoscaler(object: KubeObject): FieldError[] {
  const spec = fieldsOf(object['spec']);
  const least = Number(spec['minReplicas'] ?? 1);
  const most = Number(spec['maxReplicas'] ?? 0);
  const metrics = items(spec['metrics']);
  const { scaleUp, scaleDown } = fieldsOf(spec['behavior']);
  const errors: FieldError[] = [];
  if (least < 1) errors.push(field.invalid('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most < 1) errors.push(field.invalid('spec.maxReplicas', most, 'must be greater than 0'));
  if (most < least)
    errors.push(field.invalid('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  errors.push(
    ...checkReference(spec['scaleTargetRef'], 'spec.scaleTargetRef', true),
    ...metrics.flatMap((metric, index) => checkMetric(metric, `spec.metrics[${index}]`)),
  );
  if (least === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
    errors.push(
      field.forbidden(
        'spec.metrics',
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    );
  return [
    ...errors,
    ...checkScaling(scaleUp, 'spec.behavior.scaleUp'),
    ...checkScaling(scaleDown, 'spec.behavior.scaleDown'),
  ];
}
