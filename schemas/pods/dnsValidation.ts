import { field, type FieldError } from './fieldErrors.ts';
import { isFields } from './fields.ts';
import { checkAddress } from './address.ts';
import { fieldsOf, items, listOf, textOf } from './fieldChecks.ts';

const searchDomain = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
/** As the server shows it. */
const searchPattern = searchDomain.source.slice(1, -1);
const searchRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${searchPattern}')`;

function checkSearches(searches: readonly unknown[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > 32)
    errors.push(field.invalid(path, searches, 'must not have more than 32 search paths'));
  if (searches.join(' ').length > 2048)
    errors.push(
      field.invalid(
        path,
        searches,
        'must not have more than 2048 characters (including spaces) in the search list',
      ),
    );
  for (const [index, search] of searches.entries()) {
    const domain = textOf(search).replace(/\.$/, '');
    if (search === '.') continue;
    if (domain.length > 253)
      errors.push(field.invalid(`${path}[${index}]`, domain, 'must be no more than 253 characters'));
    if (!searchDomain.test(domain)) errors.push(field.invalid(`${path}[${index}]`, domain, searchRule));
  }
  return errors;
}

/** DNS settings of a pod. */
export function checkDnsConfig(config: unknown, policy: unknown, path: string): FieldError[] {
  const { nameservers, searches, options } = fieldsOf(config);
  const servers = listOf(nameservers);
  if (policy === 'None' && !isFields(config))
    return [field.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  if (policy === 'None' && servers.length === 0)
    return [
      field.required(
        `${path}.nameservers`,
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      ),
    ];
  return [
    ...(servers.length > 3
      ? [field.invalid(`${path}.nameservers`, servers, 'must not have more than 3 nameservers')]
      : []),
    ...servers.flatMap((server, index) => checkAddress(`${path}.nameservers[${index}]`, server)),
    ...checkSearches(listOf(searches), `${path}.searches`),
    ...items(options).flatMap(({ name }, index) =>
      textOf(name) === '' ? [field.required(`${path}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}
