export const developerRoutes = []
