import { field, type FieldError } from '../api/errors.ts';
import { nameFaults, qualifiedNameFaults } from '../api/metadata.ts';
import { isFields, ownField, textAt, type Fields } from '../store/value.ts';
import { checkContainers } from './containerValidation.ts';

function items(list: unknown): Fields[] {
  return Array.isArray(list) ? (list as unknown[]).filter(isFields) : [];
}

/** The field that names what a volume is made of. */
const sourceNames: Readonly<Record<string, string>> = {
  configMap: 'name',
  secret: 'secretName',
  persistentVolumeClaim: 'claimName',
};

function checkVolumes(volumes: unknown, path: string): FieldError[] {
  const seen = new Set<unknown>();
  return items(volumes).flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const { name, ...sources } = volume;
    const errors: FieldError[] = [];
    if (name === undefined || name === '') errors.push(field.required(`${at}.name`));
    else {
      const faults = nameFaults(textAt(['name'])(volume), 'label');
      errors.push(...faults.map((fault) => field.invalid(`${at}.name`, name, fault)));
      if (faults.length === 0 && seen.has(name)) errors.push(field.duplicate(`${at}.name`, name));
    }
    seen.add(name);
    const [first, ...more] = Object.keys(sources).filter((source) => sources[source] !== undefined);
    for (const source of more)
      errors.push(field.forbidden(`${at}.${source}`, 'may not specify more than 1 volume type'));
    const wanted = first === undefined ? undefined : sourceNames[first];
    if (first !== undefined && wanted !== undefined && !ownField(sources[first], wanted))
      errors.push(field.required(`${at}.${first}.${wanted}`));
    return errors;
  });
}

function checkTolerations(tolerations: unknown, path: string): FieldError[] {
  const operators = ['Equal', 'Exists'];
  const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];
  return items(tolerations).flatMap(({ key, operator, effect, value }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (!key && operator !== 'Exists')
      errors.push(
        field.invalid(
          `${at}.operator`,
          operator ?? '',
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (operator !== undefined && operator !== '' && !(operators as readonly unknown[]).includes(operator))
      errors.push(field.notSupported(`${at}.operator`, operator, operators));
    else if (operator === 'Exists' && value !== undefined && value !== '')
      errors.push(field.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    if (effect !== undefined && effect !== '' && !(effects as readonly unknown[]).includes(effect))
      errors.push(field.notSupported(`${at}.effect`, effect, effects));
    return errors;
  });
}

function checkChoice(path: string, value: unknown, choices: readonly string[]): FieldError[] {
  return (choices as readonly unknown[]).includes(value)
    ? []
    : [field.notSupported(path, value ?? '', choices)];
}

function checkNamed(path: string, value: unknown, rule: 'label' | 'subdomain'): FieldError[] {
  if (typeof value !== 'string' || value === '') return [];
  return nameFaults(value, rule).map((fault) => field.invalid(path, value, fault));
}

const longestDeadline = 2147483647;

/** What is wrong with the spec of a pod or a template, all of it at once. `path` is `spec` or `spec.template.spec`. */
export function checkPodSpec(spec: unknown, path: string): FieldError[] {
  if (!isFields(spec)) return [field.required(`${path}.containers`)];
  const { containers, initContainers, restartPolicy, terminationGracePeriodSeconds: grace } = spec;
  const volumes = new Set(items(spec['volumes']).map(({ name }) => name));
  const seen = new Set<unknown>();
  const errors = checkVolumes(spec['volumes'], `${path}.volumes`);
  if (
    containers === undefined ||
    containers === null ||
    (Array.isArray(containers) && containers.length === 0)
  )
    errors.push(field.required(`${path}.containers`));
  else
    errors.push(...checkContainers(containers, { path: `${path}.containers`, init: false, seen, volumes }));
  if (initContainers !== undefined && initContainers !== null)
    errors.push(
      ...checkContainers(initContainers, { path: `${path}.initContainers`, init: true, seen, volumes }),
    );
  errors.push(...checkChoice(`${path}.restartPolicy`, restartPolicy, ['Always', 'OnFailure', 'Never']));
  errors.push(
    ...checkChoice(`${path}.dnsPolicy`, spec['dnsPolicy'], [
      'ClusterFirst',
      'ClusterFirstWithHostNet',
      'Default',
      'None',
    ]),
  );
  for (const [index, gate] of items(spec['readinessGates']).entries())
    errors.push(
      ...qualifiedNameFaults(textAt(['conditionType'])(gate)).map((fault) =>
        field.invalid(`${path}.readinessGates[${index}].conditionType`, gate['conditionType'] ?? '', fault),
      ),
    );
  for (const [index, gate] of items(spec['schedulingGates']).entries())
    errors.push(
      ...qualifiedNameFaults(textAt(['name'])(gate)).map((fault) =>
        field.invalid(`${path}.schedulingGates[${index}]`, gate['name'] ?? '', fault),
      ),
    );
  errors.push(
    ...checkNamed(`${path}.serviceAccountName`, spec['serviceAccountName'], 'subdomain'),
    ...checkNamed(`${path}.nodeName`, spec['nodeName'], 'subdomain'),
    ...checkTolerations(spec['tolerations'], `${path}.tolerations`),
    ...checkNamed(`${path}.hostname`, spec['hostname'], 'label'),
  );
  if (typeof grace !== 'number' || grace < 0)
    errors.push(
      field.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than or equal to 0'),
    );
  const deadline = spec['activeDeadlineSeconds'];
  if (
    deadline !== undefined &&
    !(typeof deadline === 'number' && deadline >= 1 && deadline <= longestDeadline)
  )
    errors.push(
      field.invalid(
        `${path}.activeDeadlineSeconds`,
        deadline,
        `must be between 1 and ${longestDeadline}, inclusive`,
      ),
    );
  return errors;
}
