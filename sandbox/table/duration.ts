const second = 1;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Upper limits in seconds for each duration format. */
const forms: readonly { below: number; major: number; sign: string; minor?: number; minorSign?: string }[] = [
  { below: 2 * minute, major: second, sign: 's' },
  { below: 10 * minute, major: minute, sign: 'm', minor: second, minorSign: 's' },
  { below: 3 * hour, major: minute, sign: 'm' },
  { below: 8 * hour, major: hour, sign: 'h', minor: minute, minorSign: 'm' },
  { below: 2 * day, major: hour, sign: 'h' },
  { below: 8 * day, major: day, sign: 'd', minor: hour, minorSign: 'h' },
  { below: 2 * year, major: day, sign: 'd' },
  { below: 8 * year, major: year, sign: 'y', minor: day, minorSign: 'd' },
  { below: Infinity, major: year, sign: 'y' },
];

/**
 * A duration in the format of tables: `119s`, `2m5s`, `3h10m`, `5d`, `2y3d`. Rounded down; a zero smaller unit is
 * omitted. Up to a second in the future is `0s` (clock skew), more is `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (Number.isNaN(seconds) || seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const form = forms.find(({ below }) => seconds < below);
  if (form === undefined) return '<invalid>';
  const { major, sign, minor, minorSign } = form;
  const text = `${Math.floor(seconds / major)}${sign}`;
  const rest = minor === undefined ? 0 : Math.floor((seconds % major) / minor);
  return rest === 0 ? text : `${text}${rest}${minorSign}`;
}

/** The age of a timestamp (RFC 3339); `<unknown>` if absent. `now` is milliseconds since 1970 UTC. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
