/** The service CIDR: 10.96.0.1 to 10.96.255.254. */
const network = [10, 96] as const;
const firstPort = 30_000;
const lastPort = 32_767;

function addressAt(index: number): string {
  return [...network, index >> 8, index & 0xff].join('.');
}

/** The cluster IP of the API server's Service. */
export const lowestServiceAddress = addressAt(1);
export const servicePortRange = `${firstPort}-${lastPort}`;

/** The four numbers of an IPv4 address; undefined for other texts. */
export function ipv4(text: unknown): number[] | undefined {
  const parts = typeof text === 'string' ? /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text) : null;
  const numbers = parts?.slice(1).map(Number);
  return numbers?.every((each, index) => each <= 255 && String(each) === parts?.[index + 1])
    ? numbers
    : undefined;
}

/** Whether an address is in the service CIDR. */
export function isServiceAddress(text: string): boolean {
  const [first, second, third = 0, fourth = 0] = ipv4(text) ?? [];
  const index = third * 256 + fourth;
  return first === network[0] && second === network[1] && index > 0 && index < 0xffff;
}

/** The lowest free address; that of the API server is reserved. Undefined if all are taken. */
export function freeAddress(taken: ReadonlySet<string>): string | undefined {
  for (let index = 2; index < 0xffff; index += 1) if (!taken.has(addressAt(index))) return addressAt(index);
  return undefined;
}

export function isNodePort(port: number): boolean {
  return port >= firstPort && port <= lastPort;
}

/** The lowest free node port; undefined if all are taken. */
export function freeNodePort(taken: ReadonlySet<number>): number | undefined {
  for (let port = firstPort; port <= lastPort; port += 1) if (!taken.has(port)) return port;
  return undefined;
}
