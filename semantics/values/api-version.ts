/** What an apiVersion looks like, with or without a group: `apps/v1`, `v1`. Its parts are not captured. */
export const API_VERSION = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/;
