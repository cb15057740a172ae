/** Units that people write after a number, in lower case, and the suffix of Kubernetes for them. */
const SUFFIXES: Readonly<Record<string, string>> = {
  ...{ b: '', byte: '', bytes: '', core: '', cores: '', cpu: '', cpus: '', vcpu: '', vcpus: '' },
  ...{ millicore: 'm', millicores: 'm', millicpu: 'm', mcpu: 'm' },
  ...{ k: 'k', kb: 'k', m: 'M', mb: 'M', g: 'G', gb: 'G', t: 'T', tb: 'T', p: 'P', pb: 'P' },
  ...{
    ki: 'Ki',
    kib: 'Ki',
    mi: 'Mi',
    mib: 'Mi',
    gi: 'Gi',
    gib: 'Gi',
    ti: 'Ti',
    tib: 'Ti',
    pi: 'Pi',
    pib: 'Pi',
  },
};

/** The quantity that was probably meant: `1GB` is 1G, `1 core` is 1; undefined if it is not clear. */
export function suggestQuantity(text: string): string | undefined {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$/.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  if (unit === '') return number;
  const suffix = Object.hasOwn(SUFFIXES, unit.toLowerCase()) ? SUFFIXES[unit.toLowerCase()] : undefined;
  // `1 m` is a thousandth or a million.
  if (suffix === undefined || unit === 'm') return undefined;
  return number + suffix;
}
