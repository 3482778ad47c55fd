export const studioRoutes = []
